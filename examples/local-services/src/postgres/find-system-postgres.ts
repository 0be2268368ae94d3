import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findOnPath, isExecutable } from '../process/find-on-path.js';
import { postgresMajor } from './postgres-major.js';

/**
 * A Postgres of this major version that the system's packages brought along: the folder that holds its bin/, for
 * `startPostgres({ home })`; `undefined` when there is none.
 */
export function findSystemPostgres(major: number): string | undefined {
  const homes = [
    `/usr/lib/postgresql/${major}`, // Debian, Ubuntu
    `/usr/pgsql-${major}`, // Fedora, RHEL
    `/opt/homebrew/opt/postgresql@${major}`,
    `/usr/local/opt/postgresql@${major}`,
  ];
  // Whichever else is on PATH.
  const config = findOnPath(['pg_config']);
  const { stdout } = config ? spawnSync(config, ['--bindir'], { encoding: 'utf8' }) : { stdout: '' };
  if (stdout) homes.push(join(stdout.trim(), '..'));
  const programs = (home: string) => ['postgres', 'initdb'].map((name) => join(home, 'bin', name));
  return homes.find((home) => programs(home).every(isExecutable) && postgresMajor(home) === major);
}
