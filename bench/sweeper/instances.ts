import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Server processes over the same stores. */
export interface Instances extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Starts or stops the sweepers of all, and gives how many records they have deleted so far. */
  sweep(on: boolean): Promise<number>;
}

export async function startInstances(count: number, env: Record<string, string>): Promise<Instances> {
  const children = Array.from({ length: count }, () =>
    fork(fileURLToPath(new URL('./server-program.ts', import.meta.url)), {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  const ports = await Promise.all(children.map(async (child) => (await hear<{ port: number }>(child)).port));
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/place`),
    async sweep(on) {
      const told = await Promise.all(
        children.map((child) => {
          child.send(on ? 'sweep' : 'rest');
          return hear<{ swept: number }>(child);
        }),
      );
      return told.reduce((sum, { swept }) => sum + swept, 0);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        children.map((child) => {
          const exited = once(child, 'exit');
          child.kill('SIGKILL');
          return exited;
        }),
      );
    },
  };
}

async function hear<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a server process ended with ${code}`);
  });
  ended.catch(() => {});
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [T];
    return message;
  } finally {
    heard.abort();
  }
}
