import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Guard } from '@trpc-once/local-services';

/** Every program's first message says that it is up. */
export type ProgramMessage = { readonly type: 'ready' };

export interface ProgramOptions<TMessage> {
  /** What it is to do, as JSON in its first argument. */
  readonly order: unknown;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it when this process ends, however that happens. It watches one program at a time. */
  readonly guard: Guard;
  readonly onMessage: (message: TMessage) => void;
}

export interface Ended {
  /** By `kill` or `stop`. */
  readonly asked: boolean;
  readonly code: number | null;
  /** For people, with what it printed last. */
  readonly how: string;
}

/** A process of ours that runs a TypeScript file. */
export interface Program<TReady> {
  readonly ready: TReady;
  /** Resolves when it has ended and all it said was heard. */
  readonly ended: Promise<Ended>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Asks it to finish what it has in hand and end. */
  stop(): Promise<void>;
}

/**
 * Starts a program as this process was started, and waits for its word that it is ready.
 * @throws Error with what it printed, when it ends before that.
 */
export async function startProgram<TMessage extends { readonly type: string }>(
  file: URL,
  { order, env, guard, onMessage }: ProgramOptions<TMessage>,
): Promise<Program<Extract<TMessage, ProgramMessage>>> {
  const child = fork(fileURLToPath(file), [JSON.stringify(order)], {
    execArgv: process.execArgv,
    env: { ...process.env, ...env },
    // Ctrl-C in the terminal is for the drill, which ends its programs itself.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = `${printed}${text}`.slice(-2_000);
    });
  let asked = false;
  // What it said before it ended is in the channel until that closes.
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(
    ([[code, signal]]): Ended => {
      guard.forget();
      const how = `${basename(file.pathname)} ended with ${code ?? signal}\n${printed}`.trimEnd();
      return { asked, code, how };
    },
  );
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    asked = true;
    child.kill(signal);
    await ended;
  };
  const isReady = new Promise<Extract<TMessage, ProgramMessage>>((resolve) => {
    child.on('message', (message: TMessage) => {
      if (message.type === 'ready') resolve(message as Extract<TMessage, ProgramMessage>);
      else onMessage(message);
    });
  });
  await once(child, 'spawn');
  guard.watch(child.pid as number);
  const ready = await Promise.race([isReady, ended.then(({ how }) => Promise.reject(new Error(how)))]);
  return { ready, ended, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}
