import { execFileSync } from 'node:child_process';

/**
 * What a PgBouncer says it is: 1.21 as `[1, 21]`, the first that follows prepared statements from one connection to
 * Postgres to another (`max_prepared_statements`).
 */
export function pgBouncerVersion(binary: string): readonly [major: number, minor: number] {
  const told = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(told) ?? [];
  if (major === undefined) throw new Error(`${binary} --version says no version: ${told}`);
  return [Number(major), Number(minor)];
}
