import { nearestName } from '@trpc-once/contract';
import type { ClaimStore } from '../claims/claim-store.js';
import { memoryClaims } from '../claims/memory-claims.js';
import { redisClaims } from '../claims/redis-claims.js';
import { pgliteRecords, postgresRecords } from '../records/ready-made.js';
import type { RecordStore } from '../records/record-store.js';

/** Runs SQL with `$1` parameters: what pg and PGlite have in common. */
export interface SqlExecutor {
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/** Where the stores are; `process.env` has the right shape. */
export interface StoresEnvironment {
  /** A Postgres. @default PGlite: a real Postgres inside this process, in memory */
  readonly DATABASE_URL?: string | undefined;
  /** A Redis or Valkey. @default claims inside this process */
  readonly REDIS_URL?: string | undefined;
  /** Where PGlite keeps its files, so that they outlive the process. @default in memory */
  readonly PGLITE_DIR?: string | undefined;
}

export interface EnvironmentStores {
  readonly records: RecordStore<SqlExecutor>;
  readonly claims: ClaimStore;
  /** The business database itself, for what runs outside idempotent procedures. */
  readonly db: SqlExecutor;
  /** One line for people: what was opened, and what that is good for. */
  readonly description: string;
  /** Closes what was opened here. */
  close(): Promise<void>;
}

/**
 * Opens the stores that the environment names, and embedded ones where it names none, so that an application runs with
 * nothing installed. Embedded stores are for ONE process: a second one would have a database and claims of its own. They
 * are in memory: with that process they FORGET every record, so that a key which comes back after a restart runs again, and
 * the writes it stood for as well, unless PGLITE_DIR names a folder for both.
 *
 * Needs `@electric-sql/pglite` without DATABASE_URL, `pg` with it, and `ioredis` with REDIS_URL.
 *
 * @throws Error when the package is not installed that this needs.
 * @throws TypeError when an object other than `process.env` has a name that is nearly one of these.
 * @example
 * ```ts
 * const stores = await storesFromEnv();
 * const once = createOnce({ ...stores, scope: (ctx: Context) => ctx.userId });
 * ```
 */
export async function storesFromEnv(
  env: StoresEnvironment = process.env as StoresEnvironment,
): Promise<EnvironmentStores> {
  const mistyped = mistypedNames(env);
  // The process' own has many a name of others; who hands in an object means what is in it.
  if (mistyped.length > 0 && env !== process.env)
    throw new TypeError(`storesFromEnv(): ${mistyped.join('; ')}`);
  const database = env.DATABASE_URL ? await openPostgres(env.DATABASE_URL) : await openPGlite(env.PGLITE_DIR);
  const claims = env.REDIS_URL ? await openRedis(env.REDIS_URL) : embeddedClaims();
  return {
    records: database.records,
    db: database.db,
    claims: claims.claims,
    description: [database.description, claims.description, ...mistyped].join('; '),
    async close() {
      await claims.close();
      await database.close();
    },
  };
}

const names = {
  DATABASE_URL: true,
  REDIS_URL: true,
  PGLITE_DIR: true,
} satisfies Record<keyof StoresEnvironment, true>;

/** A store that is asked for under a slip of its name would be an embedded one, and its data gone with the process. */
function mistypedNames(env: StoresEnvironment): string[] {
  const missing = Object.keys(names).filter((name) => !env[name as keyof StoresEnvironment]);
  return Object.keys(env).flatMap((name) => {
    const meant = Object.hasOwn(names, name) ? undefined : nearestName(name, missing, 1);
    return meant === undefined ? [] : [`${name} is not read, did you mean ${meant}?`];
  });
}

/** They are optional peers, so that nobody installs a database that is not used: the one that is, is asked for by name. */
export async function installed<T>(name: string, when: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(`storesFromEnv() needs ${name} ${when}: npm install ${name}`, { cause });
  }
}

type OpenDatabase = Pick<EnvironmentStores, 'records' | 'db' | 'description' | 'close'>;
type OpenClaims = Pick<EnvironmentStores, 'claims' | 'description' | 'close'>;

async function openPostgres(url: string): Promise<OpenDatabase> {
  const { default: pg } = await installed('pg', 'with DATABASE_URL', () => import('pg'));
  const options = {
    connectionString: url,
    pipeline: true,
    // Or a connection that goes silent while it is made takes up its place in the pool for good.
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  const pool = new pg.Pool(options as ConstructorParameters<typeof pg.Pool>[0]);
  // An idle connection that Postgres closes is replaced by the pool; unheard, the event would end the process.
  pool.on('error', () => {});
  return {
    records: postgresRecords(pool) as RecordStore<SqlExecutor>,
    db: pool as SqlExecutor,
    description: 'records in Postgres (DATABASE_URL)',
    close: () => pool.end(),
  };
}

async function openPGlite(dataDir: string | undefined): Promise<OpenDatabase> {
  const { PGlite } = await installed(
    '@electric-sql/pglite',
    'without DATABASE_URL',
    () => import('@electric-sql/pglite'),
  );
  const db = await PGlite.create(dataDir ? { dataDir } : {});
  return {
    records: pgliteRecords(db) as RecordStore<SqlExecutor>,
    db: db as SqlExecutor,
    description: 'records in PGlite, a Postgres inside this one process (set DATABASE_URL for more)',
    close: () => db.close(),
  };
}

async function openRedis(url: string): Promise<OpenClaims> {
  const { Redis } = await installed('ioredis', 'with REDIS_URL', () => import('ioredis'));
  const redis = new Redis(url);
  // Reconnecting is ioredis' business and doing without is ours; unheard, the event would be printed each time.
  redis.on('error', () => {});
  return {
    claims: redisClaims(redis),
    description: 'claims in Redis (REDIS_URL)',
    close: async () => redis.disconnect(),
  };
}

function embeddedClaims(): OpenClaims {
  return {
    claims: memoryClaims(),
    description: 'claims inside this one process (set REDIS_URL for more)',
    close: async () => {},
  };
}
