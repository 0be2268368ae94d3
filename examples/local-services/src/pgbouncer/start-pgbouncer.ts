import { chownSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresAccount } from '../postgres/postgres-account.js';
import { startGuard } from '../process/guard.js';
import { localService } from '../process/local-service.js';
import { type SingleProcess, singleProcess } from '../process/single-process.js';
import { ensurePgBouncer } from './ensure-pgbouncer.js';

export interface PgBouncerOptions {
  /** A Postgres, with user and password. Every database of it can be reached. */
  readonly upstream: string;
  /** The program to run. @default what {@link ensurePgBouncer} finds or installs */
  readonly binary?: string;
  /** Any other PgBouncer settings; these win. @default transaction mode, 10 connections to Postgres for each database */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A PgBouncer that runs on this machine; its URL is the upstream's, through it. */
export type LocalPgBouncer = SingleProcess;

/**
 * Starts a PgBouncer in front of a Postgres, on a free loopback port. It is gone when it is disposed of, or when this
 * process ends in whatever way.
 *
 * @throws Error when there is no PgBouncer and none can be installed, or it does not come up; with the end of its log.
 * @example
 * ```ts
 * await using pgbouncer = await startPgBouncer({ upstream: postgres.url });
 * const pool = new Pool({ connectionString: pgbouncer.url });
 * ```
 */
export async function startPgBouncer(options: PgBouncerOptions): Promise<LocalPgBouncer> {
  const { upstream, binary = ensurePgBouncer() } = options;
  // Like Postgres, it refuses to run as root.
  const account = postgresAccount();
  const directory = await mkdtemp(join(tmpdir(), 'trpc-once-pgbouncer-'));
  if (account) chownSync(directory, account.uid, account.gid);
  const config = join(directory, 'pgbouncer.ini');
  const users = join(directory, 'users');
  const write = (file: string, lines: string[]): void => {
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    if (account) chownSync(file, account.uid, account.gid);
  };
  const guard = startGuard({ signal: 'KILL', directory });
  const service = localService({
    name: 'PgBouncer',
    command: binary,
    args(port) {
      // It takes its port from this file alone.
      write(
        config,
        configLines(new URL(upstream), { listen_port: port, auth_file: users, ...options.settings }),
      );
      return [config];
    },
    async isReady(port, pid) {
      const log = await readFile(join(directory, 'log'), 'utf8');
      return log.includes(`[${pid}] LOG listening on 127.0.0.1:${port}`);
    },
    ...{ directory, account, guard },
  });
  const urlOf = (port: number) => Object.assign(new URL(upstream), { hostname: '127.0.0.1', port }).href;
  const pgbouncer = singleProcess(service, guard, urlOf);
  try {
    const { username, password } = new URL(upstream);
    write(users, [`${quoted(decodeURIComponent(username))} ${quoted(decodeURIComponent(password))}`]);
    await pgbouncer.start();
    return pgbouncer;
  } catch (error) {
    await guard.release();
    throw error;
  }
}

function configLines({ hostname, port }: URL, settings: Readonly<Record<string, string | number>>): string[] {
  const all = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    pool_mode: 'transaction',
    default_pool_size: 10,
    max_client_conn: 500,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  return ['[databases]', `* = host=${hostname} port=${port || 5432}`, '[pgbouncer]', ...lines];
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
