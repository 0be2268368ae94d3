import type { Guard } from '../process/guard.js';
import { localService } from '../process/local-service.js';
import { askRedis } from './ask-redis.js';

/**
 * A Redis that runs on this machine.
 *
 * States: running → `stop` or `kill` → stopped → `start` → running, on the same port, empty unless it was told to
 * persist; running → `pause` → paused → `resume` → running.
 */
export interface LocalRedis extends AsyncDisposable {
  /** With its password. */
  readonly url: string;
  readonly password: string;
  readonly port: number;
  /** Another one after each start. */
  readonly pid: number;
  start(): Promise<void>;
  /** Lets it close its connections and, where told to persist, write its data. */
  stop(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** The end of its log, for error messages. */
  logTail(): string;
}

export interface LocalRedisOptions {
  readonly binary: string;
  readonly directory: string;
  readonly config: string;
  readonly password: string;
  /** Whether it watches over others, as a sentinel, in place of holding data. */
  readonly sentinel: boolean;
  readonly guard: Guard;
}

/** Redis with a configuration that exists; not started yet. */
export function localRedis({ binary, config, password, sentinel, ...rest }: LocalRedisOptions): LocalRedis {
  const service = localService({
    name: 'Redis',
    command: binary,
    args: (port) => [config, '--port', String(port), ...(sentinel ? ['--sentinel'] : [])],
    isReady: (port) => answers(port, password),
    ...rest,
  });
  const self: LocalRedis = {
    get url() {
      return `redis://:${password}@127.0.0.1:${service.port}`;
    },
    password,
    get port() {
      return service.port;
    },
    get pid() {
      return service.running().pid;
    },
    start: service.start,
    stop: () => service.end('SIGTERM'),
    kill: () => service.end('SIGKILL'),
    async restart() {
      await self.kill();
      await self.start();
    },
    pause: () => service.running().signal('SIGSTOP'),
    resume: () => service.running().signal('SIGCONT'),
    logTail: service.logTail,
    async [Symbol.asyncDispose]() {
      await self.kill();
      await rest.guard.release();
    },
  };
  return self;
}

/** Whether our Redis, and not somebody else's, answers there and has loaded its data. */
async function answers(port: number, password: string): Promise<boolean> {
  try {
    return (await askRedis(port, password, 'PING')).includes('+PONG');
  } catch {
    return false;
  }
}
