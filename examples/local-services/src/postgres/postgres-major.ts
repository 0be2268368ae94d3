import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The major version of the Postgres in this folder: 18. @throws Error when it does not run. */
export function postgresMajor(home: string): number {
  const told = execFileSync(join(home, 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/\(PostgreSQL\) (\d+)/.exec(told)?.[1]);
}
