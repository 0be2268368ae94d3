import { randomBytes } from 'node:crypto';
import { chownSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '../process/guard.js';
import { createCluster } from './create-cluster.js';
import { findPostgres } from './find-postgres.js';
import { type LocalPostgres, localPostgres } from './local-postgres.js';
import { postgresAccount } from './postgres-account.js';
import { postgresMajor } from './postgres-major.js';

export interface PostgresOptions {
  /** The folder that holds bin/ of the one to run. @default the Postgres 18 that came with the packages */
  readonly home?: string;
  /**
   * Whether commits wait for the disk. Without it the machine must not crash, but Postgres may be killed at any time
   * and loses nothing: what it has written is with the kernel.
   * @default false: about ten times the speed on a slow disk
   */
  readonly fsync?: boolean;
  /**
   * Whether a commit is acknowledged only when it is written. Turned off, a killed Postgres forgets commits that it
   * acknowledged, fsync or not.
   * @default true
   */
  readonly synchronousCommit?: boolean;
  /** Any other Postgres settings; these win. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Starts a Postgres of its own on a free loopback port, with its data in a temporary directory. It is ready in less
 * than a second. Both are gone when it is disposed of, or when this process ends in whatever way.
 *
 * @throws Error when this machine has no Postgres binaries, or the server does not come up; with the end of its log.
 * @example
 * ```ts
 * await using postgres = await startPostgres();
 * const pool = new Pool({ connectionString: postgres.url });
 * ```
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<LocalPostgres> {
  const { home = findPostgres() } = options;
  const account = postgresAccount();
  const directory = await mkdtemp(join(tmpdir(), 'trpc-once-postgres-'));
  if (account) chownSync(directory, account.uid, account.gid);
  // SIGQUIT, so that the server takes its shared memory with it; SIGKILL would leave a segment behind.
  const guard = startGuard({ signal: 'QUIT', directory });
  try {
    const password = randomBytes(12).toString('hex');
    const settings = settingsOf(options, postgresMajor(home));
    const cluster = await createCluster({ home, directory, account, password, settings });
    const postgres = localPostgres({ ...cluster, directory, account, password, guard });
    await postgres.start();
    return postgres;
  } catch (error) {
    await guard.release();
    throw error;
  }
}

function settingsOf(options: PostgresOptions, major: number): Record<string, string> {
  const { fsync = false, synchronousCommit = true, settings = {} } = options;
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Test files that run side by side, each with a few pools of its own.
    max_connections: 300,
    fsync,
    // Torn pages come from machines that crash; without fsync that is not survived anyway.
    full_page_writes: fsync,
    synchronous_commit: synchronousCommit,
    // The password is random and the connection never leaves the machine: 4096 rounds a connection buy nothing.
    ...(major >= 16 && { scram_iterations: 1 }),
    timezone: 'UTC',
    // Names the statement behind each error in the log.
    log_line_prefix: '%m [%p] %d %a ',
    ...settings,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
