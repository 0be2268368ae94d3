import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface DaemonOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** Takes stdout and stderr. A file, because a pipe that nobody reads stops the writer. */
  readonly logFile: string;
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A process that runs beside this one and does not keep it alive. */
export interface Daemon {
  readonly pid: number;
  /** False once it has ended, for whatever reason. */
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Sends `name` and waits until the process has ended. */
  end(name: NodeJS.Signals): Promise<void>;
  /** The end of its log, for error messages. */
  logTail(): string;
}

/**
 * Starts a daemon in a session of its own, so that Ctrl-C in a terminal does not end it before its clients.
 * @throws Error when the command cannot be run.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const log = openSync(options.logFile, 'a');
  const child: ChildProcess = spawn(options.command, options.args, {
    cwd: options.directory,
    stdio: ['ignore', log, log],
    detached: true,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    ...options.account,
  });
  closeSync(log);
  await once(child, 'spawn');
  child.unref();
  const exited = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => void (isRunning() && child.kill(name));
  return {
    pid: child.pid as number,
    isRunning,
    signal,
    end: async (name) => {
      // Someone waits now, so this process must not end for lack of other work.
      child.ref();
      signal(name);
      if (isRunning()) await exited;
    },
    logTail: () => readFileSync(options.logFile, 'utf8').split('\n').slice(-20).join('\n'),
  };
}
