import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from '../process/children-of.js';
import type { Guard } from '../process/guard.js';
import { localService } from '../process/local-service.js';
import type { Cluster } from './create-cluster.js';
import type { Account } from './postgres-account.js';

/**
 * How a server ends. `fast` rolls back what is open and says goodbye; `immediate` is a crash: every process quits at
 * once, connections are cut, and the next start recovers from the log.
 */
export type PostgresStopMode = 'fast' | 'immediate';

/**
 * A Postgres that runs on this machine.
 *
 * States: running → `stop` → stopped → `start` → running, on the same port with the same data;
 * running → `pause` → paused → `resume` → running. A paused one can be stopped.
 */
export interface LocalPostgres extends AsyncDisposable {
  /** With its password; the database is `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Of the process that holds all others; another one after each start. */
  readonly pid: number;
  start(): Promise<void>;
  /** @default mode 'fast' */
  stop(options?: { readonly mode?: PostgresStopMode }): Promise<void>;
  /** @default mode 'immediate', since this is how tests ask for a crash */
  restart(options?: { readonly mode?: PostgresStopMode }): Promise<void>;
  /** Freezes the server and every connection: nothing is refused and nothing answers. */
  pause(): void;
  resume(): void;
  /** The end of its log, for error messages. */
  logTail(): string;
}

export interface LocalPostgresOptions extends Cluster {
  readonly directory: string;
  readonly account: Account | undefined;
  readonly password: string;
  readonly guard: Guard;
}

const stopSignals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Postgres on a cluster that exists; not started yet. */
export function localPostgres({ postgres, data, password, ...rest }: LocalPostgresOptions): LocalPostgres {
  const service = localService({
    name: 'Postgres',
    command: postgres,
    args: (port) => ['-D', data, '-p', String(port)],
    isReady: (_port, pid) => isReady(data, pid),
    ...rest,
  });
  const self: LocalPostgres = {
    get url() {
      return `postgres://postgres:${password}@127.0.0.1:${service.port}/postgres`;
    },
    get port() {
      return service.port;
    },
    get pid() {
      return service.running().pid;
    },
    start: service.start,
    async stop({ mode = 'fast' } = {}) {
      // Postgres waits for its children, and a frozen one cannot leave.
      await service.end(stopSignals[mode], (pid) => signalAll(childrenOf(pid), 'SIGCONT'));
    },
    async restart({ mode = 'immediate' } = {}) {
      await self.stop({ mode });
      await self.start();
    },
    pause() {
      const { pid, signal } = service.running();
      // The first one starts all others: stopped first, it cannot start one that goes on.
      signal('SIGSTOP');
      signalAll(childrenOf(pid), 'SIGSTOP');
    },
    resume() {
      const { pid, signal } = service.running();
      signalAll(childrenOf(pid), 'SIGCONT');
      signal('SIGCONT');
    },
    logTail: service.logTail,
    async [Symbol.asyncDispose]() {
      await self.stop({ mode: 'immediate' });
      await rest.guard.release();
    },
  };
  return self;
}

/** Postgres writes its state to the eighth line of this file; `pg_ctl --wait` goes by it too. */
function isReady(data: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  }
}
