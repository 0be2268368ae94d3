import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startGuard, until } from '@trpc-once/local-services';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const main = fileURLToPath(new URL('../../examples/shop/src/drill/main.ts', import.meta.url));

/** The drill as `npm start` runs it, without a terminal. Disposing of it kills it. */
export interface StartedDrill extends AsyncDisposable {
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
  output(): string;
  /** Waits until its output matches. @throws Error with its output when it ends before that. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** A figure of its table. */
  figure(name: string): string | undefined;
  interrupt(): void;
}

export function startDrill(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedDrill {
  const guard = startGuard({ signal: 'KILL' });
  const { NODE_OPTIONS: _runners, DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--conditions=@trpc-once/source', '--import', tsx, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...env },
  });
  if (child.pid !== undefined) guard.watch(child.pid);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  // Closed rather than exited: then all it printed is here.
  const ended = once(child, 'close').then(([code]) => {
    guard.forget();
    return code as number | null;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    ended,
    output: () => printed,
    async says(pattern) {
      const look = () => {
        const found = pattern.exec(printed);
        if (!found && hasEnded()) throw new Error(`the drill never said ${pattern}:\n${printed}`);
        return found;
      };
      return until(look, { withinMs: 150_000, what: `the drill says ${pattern}` });
    },
    figure: (name) => new RegExp(`^  ${name} +(\\S+)`, 'm').exec(printed)?.[1],
    interrupt: () => void child.kill('SIGINT'),
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) child.kill('SIGKILL');
      await ended;
      await guard.release();
    },
  };
}
