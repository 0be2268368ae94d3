import { execFileSync } from 'node:child_process';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account that a server of ours runs as: `undefined` for our own. Postgres refuses to run as root, so root lends
 * it to `postgres` where that exists, else to `nobody`, which always does: no account is made on anybody's machine.
 */
export function postgresAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // There is no such account; try the next.
    }
  }
  throw new Error(
    'Postgres does not run as root, and this machine has neither a "postgres" nor a "nobody" account',
  );
}

function idOf(which: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}
