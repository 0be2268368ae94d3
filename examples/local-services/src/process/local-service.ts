import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { type Daemon, startDaemon } from './daemon.js';
import type { Guard } from './guard.js';

export interface LocalServiceOptions {
  /** For error messages. */
  readonly name: string;
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  /** Whether this process serves on this port by now. */
  readonly isReady: (port: number, pid: number) => boolean | Promise<boolean>;
  readonly directory: string;
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  readonly guard: Guard;
}

/** A daemon that keeps its port from one start to the next. */
export interface LocalService {
  readonly port: number;
  /** @throws Error when it is not running. */
  running(): Daemon;
  start(): Promise<void>;
  /**
   * Ends it with a signal, paused or not; does nothing when it has ended already. `before` is called with its pid
   * when it has not.
   */
  end(signal: NodeJS.Signals, before?: (pid: number) => void): Promise<void>;
  logTail(): string;
}

/** A service that has not started yet. */
export function localService(options: LocalServiceOptions): LocalService {
  let port = 0;
  let daemon: Daemon | undefined;
  return {
    get port() {
      return port;
    },
    running() {
      if (!daemon?.isRunning()) throw new Error(`this ${options.name} is not running`);
      return daemon;
    },
    async start() {
      if (daemon?.isRunning()) return;
      // The first start may lose its port to somebody else and looks for another; later ones must keep it.
      for (let tries = port === 0 ? 5 : 1; ; tries -= 1) {
        const candidate = port || (await freePort());
        daemon = await launch(options, candidate);
        if (daemon.isRunning()) {
          port = candidate;
          return;
        }
        if (tries === 1) throw new Error(`${options.name} did not start:\n${daemon.logTail()}`);
      }
    },
    async end(signal, before) {
      if (!daemon?.isRunning()) return;
      before?.(daemon.pid);
      daemon.signal('SIGCONT');
      await daemon.end(signal);
      options.guard.forget();
    },
    logTail: () => daemon?.logTail() ?? '',
  };
}

/** Starts it, and waits until it is ready or has given up. */
async function launch(options: LocalServiceOptions, port: number): Promise<Daemon> {
  const { name, command, directory, account, guard } = options;
  const logFile = join(directory, 'log');
  const daemon = await startDaemon({ command, args: options.args(port), directory, logFile, account });
  guard.watch(daemon.pid);
  try {
    // A recovery after a crash is what takes longest.
    await until(async () => !daemon.isRunning() || (await options.isReady(port, daemon.pid)), {
      withinMs: 60_000,
    });
  } catch {
    throw new Error(`${name} was not ready within a minute:\n${daemon.logTail()}`);
  }
  if (!daemon.isRunning()) guard.forget();
  return daemon;
}
