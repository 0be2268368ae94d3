import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface GuardOptions {
  /** What asks the process to end; SIGKILL follows after ten seconds. */
  readonly signal: 'TERM' | 'QUIT' | 'KILL';
  /** Removed at the end. */
  readonly directory?: string;
}

/** Outlives this process by a moment, to end what it left running. */
export interface Guard {
  /** From now on this process, and no other, is ended with us. */
  watch(pid: number): void;
  /** The watched process has ended; a pid must not be signalled after that, since another may get it. */
  forget(): void;
  /** Does the guard's work now, and waits for it. */
  release(): Promise<void>;
}

/**
 * Starts a guard. It is a shell script on the other end of a pipe, because nothing inside this process can act after
 * `kill -9`; it has a session of its own, so that Ctrl-C in a terminal reaches this process first.
 */
export function startGuard({ signal, directory }: GuardOptions): Guard {
  const script = fileURLToPath(new URL('./guard.sh', import.meta.url));
  const guard = spawn('/bin/sh', [script, signal, directory ?? ''], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  const pipe = guard.stdin as unknown as Socket;
  // Neither the guard nor its pipe is a reason to stay alive: when all else is done, this process may end.
  guard.unref();
  pipe.unref();
  // A guard that was killed leaves a broken pipe, which is no reason to fail a test.
  pipe.on('error', () => {});
  const gone = once(guard, 'exit');
  return {
    watch: (pid) => void pipe.write(`${pid}\n`),
    forget: () => void pipe.write('\n'),
    release: async () => {
      guard.ref();
      pipe.end();
      await gone;
    },
  };
}
