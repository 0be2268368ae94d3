import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startGuard } from '@trpc-once/local-services';
import { type Conversation, converse } from './conversation.js';

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Over the test's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a process ended: one of the two is `null`. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** A Node process that a test started. Disposing of it kills it. */
export interface Program<TReady> extends Conversation, AsyncDisposable {
  /** What it said when it was ready. */
  readonly ready: TReady;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** `kill -9`, and waits until it is gone: it gets no chance to say or write anything more. */
  kill(): Promise<void>;
  /** Asks it to end, as a deployment does, and waits until it has. */
  stop(): Promise<Exit>;
  /** Freezes it in mid-instruction, as a long garbage collection or a moved virtual machine would. */
  pause(): void;
  resume(): void;
  /** What it printed so far. */
  output(): string;
}

/**
 * Runs a TypeScript file from source in a Node process of its own, and waits until it says that it is ready:
 * `parent.tell('ready', …)` from `./parent.js`. It dies with the test, however that ends.
 *
 * @throws Error with its output, when it ends before that.
 * @example
 * ```ts
 * await using server = await spawnProgram<{ url: string }>(new URL('./server-program.ts', import.meta.url));
 * await fetch(server.ready.url);
 * await server.kill();
 * ```
 */
export async function spawnProgram<TReady = unknown>(
  file: URL,
  { args = [], env = {} }: ProgramOptions = {},
): Promise<Program<TReady>> {
  const guard = startGuard({ signal: 'KILL' });
  const { NODE_OPTIONS: _runners, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    ['--conditions=@trpc-once/source', '--import', tsx, fileURLToPath(file), ...args],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...inherited, ...env } },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const exited = once(child, 'exit').then(([code, signal]): Exit => {
    guard.forget();
    return { code, signal };
  });
  await once(child, 'spawn');
  guard.watch(child.pid as number);

  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    if (!hasExited()) child.kill(signal);
    return exited;
  };
  const conversation = converse({
    send: (message) => void child.send(message),
    listen: (receive) => void child.on('message', receive),
    closed: () => {
      // What it said before it ended is still in the channel until that is closed too.
      if (!hasExited() || child.connected) return undefined;
      return `the program ended with ${child.exitCode ?? child.signalCode}\n${printed}`;
    },
  });
  const dispose = async (): Promise<void> => {
    await end('SIGKILL');
    await guard.release();
  };
  try {
    const ready = await conversation.hear<TReady>('ready');
    return {
      ...conversation,
      ready,
      pid: child.pid as number,
      exited,
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
      pause: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
      output: () => printed,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
