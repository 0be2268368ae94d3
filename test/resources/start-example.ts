import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startGuard, until } from '@trpc-once/local-services';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** A program of an example, run as its user would, without a terminal. Disposing of it kills it. */
export interface StartedProgram extends AsyncDisposable {
  /** Resolves when it has ended. */
  readonly ended: Promise<number | null>;
  output(): string;
  /** Waits until its output matches. @throws Error with its output when it ends before that. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ctrl-C. */
  interrupt(): void;
}

/**
 * Without the services of this test run, unless `env` names some.
 * @param file from `examples`, such as `shop/src/server/main.ts`
 */
export function startExample(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): StartedProgram {
  const path = fileURLToPath(new URL(`../../examples/${file}`, import.meta.url));
  const guard = startGuard({ signal: 'KILL' });
  const { NODE_OPTIONS: _runners, DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--conditions=@trpc-once/source', '--import', tsx, path, ...args], {
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
        if (!found && hasEnded()) throw new Error(`it never said ${pattern}:\n${printed}`);
        return found;
      };
      return until(look, { withinMs: 150_000, what: `it says ${pattern}` });
    },
    interrupt: () => void child.kill('SIGINT'),
    async [Symbol.asyncDispose]() {
      if (!hasEnded()) child.kill('SIGKILL');
      await ended;
      await guard.release();
    },
  };
}
