import { parseArgs } from 'node:util';
import { startPostgres } from '@trpc-once/local-services';
import { postgresRecords } from '@trpc-once/server';
import { Client, Pool } from 'pg';
import { type AccessPath, accessPaths } from './sweeper/access-paths.js';
import { seedRecords } from './sweeper/seed-records.js';
import type { Sql } from './sweeper/sql.js';

/**
 * Compares ways to find expired records: `npm run bench -- sweeper-paths`. Each gets a copy of the same table; they take
 * turns, batch by batch, so that whatever else the machine does happens to all of them.
 */
const { values } = parseArgs({
  options: {
    /** How many have expired; a tenth as many live among them. */
    records: { type: 'string', default: '5000000' },
    /** How long each may take in each phase, in seconds. */
    seconds: { type: 'string', default: '20' },
    batch: { type: 'string', default: '500' },
    /** Of each kind and round, where the cost of an insert is measured. */
    inserts: { type: 'string', default: '20000' },
  },
});
const records = Number(values.records);
const budgetMs = Number(values.seconds) * 1_000;
const batch = Number(values.batch);
const inserts = Number(values.inserts);

interface Contestant {
  readonly path: AccessPath;
  readonly db: Client;
  readonly database: string;
}

interface Phase {
  readonly rows: number;
  readonly ms: readonly number[];
  readonly through: boolean;
}

await using postgres = await startPostgres({
  settings: { autovacuum: false, max_wal_size: '8GB', shared_buffers: '1GB', maintenance_work_mem: '256MB' },
});
const url = (database: string): string =>
  Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href;

console.log(`${records} expired records with ${records / 10} live ones among them, ${batch} a batch`);
const admin = await connect('postgres');
console.log((await admin.query('SELECT version()')).rows[0].version);
await insertCosts();
await admin.query('CREATE DATABASE seeded');
const pool = new Pool({ connectionString: url('seeded') });
await postgresRecords(pool).migrate();
await pool.query(`DO $do$ DECLARE name text; BEGIN
  FOR name IN SELECT indexrelid::regclass::text FROM pg_index
    WHERE indrelid = 'idempotency_records'::regclass AND NOT indisprimary LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
END $do$`);
await seedRecords(pool, {
  expired: records,
  live: records / 10,
  onProgress: (n) => console.log(`  seeded ${n}`),
});
await pool.end();

const contestants: Contestant[] = [];
for (const [n, path] of accessPaths().entries()) {
  const database = `path_${n}`;
  await admin.query(`CREATE DATABASE ${database} TEMPLATE seeded STRATEGY FILE_COPY`);
  const db = await connect(database);
  if (path.index) await db.query(path.index);
  await db.query('VACUUM (ANALYZE) idempotency_records');
  contestants.push({ path, db, database });
}
console.log('copied');

report('first phase', await race(contestants));
// A dump or a long report keeps every dead row from being forgotten.
const holders = await Promise.all(contestants.map(({ database }) => connect(database)));
for (const holder of holders)
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class');
report('with an old snapshot open', await race(contestants));
for (const holder of holders) await holder.end();

for (const { db } of contestants) await db.query('DELETE FROM idempotency_records WHERE expires_at < now()');
for (const { path } of contestants) path.again();
await idle('nothing to do, before a vacuum, first look');
await idle('nothing to do, before a vacuum, second look');
for (const { db } of contestants) await db.query('VACUUM idempotency_records');
await idle('nothing to do, after a vacuum');
// The same space again, with what is not to expire for a day.
for (const { db } of contestants) {
  await db.query(`INSERT INTO idempotency_records SELECT 'n' || i, '["ann"]', 'p', '1.' || md5(i::text), 'COMPLETED',
    NULL, NULL, repeat('x', 60), now(), now(), now() + interval '1 day' FROM generate_series(1, ${records / 10}) AS i`);
  await db.query('VACUUM (ANALYZE) idempotency_records');
}
await idle('nothing to do, the space used again');
for (const { db } of contestants) await db.end();
await admin.end();

async function connect(database: string): Promise<Client> {
  const client = new Client({ connectionString: url(database) });
  await client.connect();
  return client;
}

async function race(all: readonly Contestant[]): Promise<Map<AccessPath, Phase>> {
  const phases = new Map(
    all.map(({ path }) => [path, { rows: 0, ms: [] as number[], spent: 0, through: false }]),
  );
  for (let running = [...all]; running.length > 0; ) {
    for (const { path, db } of running) {
      const phase = phases.get(path) as { rows: number; ms: number[]; spent: number; through: boolean };
      const beganAt = performance.now();
      const gone = await path.sweep(db, batch);
      const ms = performance.now() - beganAt;
      phase.ms.push(ms);
      phase.spent += ms;
      if (gone === 'through') phase.through = true;
      else phase.rows += gone;
    }
    running = running.filter(({ path }) => {
      const phase = phases.get(path) as { spent: number; through: boolean };
      return !phase.through && phase.spent < budgetMs;
    });
  }
  return phases;
}

function report(title: string, phases: ReadonlyMap<AccessPath, Phase>): void {
  console.log(`\n${title}`);
  for (const [{ name }, { rows, ms, through }] of phases) {
    const spent = ms.reduce((a, b) => a + b, 0);
    console.log(
      `  ${name.padEnd(40)} ${String(rows).padStart(8)} rows in ${(spent / 1000).toFixed(1)} s = ${Math.round((rows / spent) * 1000)} rows/s; a batch ${median(ms.slice(0, 20)).toFixed(1)} ms at first, ${median(ms.slice(-20)).toFixed(1)} ms at last${through ? '; through' : ''}`,
    );
  }
}

/** What an index adds to each call's insert: WAL without full pages, and time. */
async function insertCosts(): Promise<void> {
  await admin.query('CREATE DATABASE inserts');
  const db = await connect('inserts');
  const tables = new Map([
    ['primary key alone', ''],
    ['and brin', 'USING brin (expires_at) WITH (autosummarize = on)'],
    ['and btree, whole', '(expires_at)'],
    ['and btree, of what settled', `(expires_at) WHERE status IN ('COMPLETED', 'FAILED')`],
  ]);
  const costs = new Map(
    [...tables.keys()].map((name) => [name, { wal: [] as number[], us: [] as number[] }]),
  );
  for (const [n, index] of [...tables.values()].entries()) {
    await db.query(`CREATE TABLE t${n} (key text COLLATE "C", scope text COLLATE "C", procedure text, fingerprint text,
      status text, body text, expires_at timestamptz, PRIMARY KEY (key, scope))`);
    if (index) await db.query(`CREATE INDEX ON t${n} ${index}`);
  }
  for (let round = 0; round < 10; round++)
    for (const [n, name] of [...tables.keys()].entries()) {
      const lsn = async () => (await db.query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0].lsn;
      const before = await lsn();
      const beganAt = performance.now();
      await db.query(`DO $do$ BEGIN FOR i IN 1..${inserts} LOOP
        INSERT INTO t${n} VALUES ('0190' || lpad(to_hex(${round * inserts} + i), 8, '0') || '-7000-8000-' || md5(i::text),
          '["user-1"]', 'orders.place', '1.' || md5(i::text), 'COMPLETED', repeat('x', 60),
          clock_timestamp() + interval '1 day'); END LOOP; END $do$`);
      const cost = costs.get(name);
      cost?.us.push(((performance.now() - beganAt) * 1000) / inserts);
      const {
        rows: [wal],
      } = await db.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1) AS n', [before]);
      cost?.wal.push(Number(wal.n) / inserts);
    }
  console.log('\nan insert costs');
  for (const [name, { wal, us }] of costs)
    console.log(`  ${name.padEnd(40)} ${median(wal).toFixed(0)} B of WAL, ${median(us).toFixed(1)} µs`);
  await db.end();
}

/** What one look costs: time, and pages touched. */
async function idle(title: string): Promise<void> {
  console.log(`\n${title}`);
  for (const { path, db } of contestants) {
    const beganAt = performance.now();
    const before = await pages(db);
    let steps = 0;
    do steps++;
    while ((await path.sweep(db, batch)) !== 'through');
    const ms = performance.now() - beganAt;
    path.again();
    console.log(
      `  ${path.name.padEnd(40)} ${ms.toFixed(1).padStart(8)} ms, ${(await pages(db)) - before} pages, ${steps} statements`,
    );
  }
}

async function pages(db: Sql): Promise<number> {
  await db.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await db.query(
    'SELECT blks_hit + blks_read AS pages FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0].pages);
}

function median(of: readonly number[]): number {
  return [...of].sort((a, b) => a - b)[of.length >> 1] ?? 0;
}
