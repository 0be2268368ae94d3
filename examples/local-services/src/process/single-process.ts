import type { Guard } from './guard.js';
import type { LocalService } from './local-service.js';

/**
 * A service that is one process, and how to break it.
 *
 * States: running → `stop` or `kill` → stopped → `start` → running, on the same port; running → `pause` → paused →
 * `resume` → running.
 */
export interface SingleProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Another one after each start. */
  readonly pid: number;
  start(): Promise<void>;
  /** Lets it take its leave of those it is connected to. */
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

/** @param urlOf its address, by its port */
export function singleProcess(
  service: LocalService,
  guard: Guard,
  urlOf: (port: number) => string,
): SingleProcess {
  const self: SingleProcess = {
    get url() {
      return urlOf(service.port);
    },
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
      await guard.release();
    },
  };
  return self;
}
