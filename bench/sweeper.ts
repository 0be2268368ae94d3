import { parseArgs } from 'node:util';
import { findRedisBinary, startPostgres, startRedis } from '@trpc-once/local-services';
import { postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { startInstances } from './sweeper/instances.js';
import { load, Slices } from './sweeper/load.js';
import { seedRecords } from './sweeper/seed-records.js';

/**
 * What sweeping costs calls: `npm run bench -- sweeper`. Two server processes take calls; in turns their sweepers rest,
 * work, and rest again. Working slices are held against resting ones, and the resting ones before against those after:
 * that shows how much the machine alone moves the figures.
 */
const { values } = parseArgs({
  options: {
    /** How many have expired; a tenth as many live among them. */
    records: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '120' },
    /** Seconds of each slice; a round has three. */
    slice: { type: 'string', default: '1' },
    callers: { type: 'string', default: '8' },
    /** The sweeper's own options. */
    share: { type: 'string', default: '' },
    batch: { type: 'string', default: '' },
    /** Commits wait for the disk: then the disk is measured, and not what two processes do to each other. */
    fsync: { type: 'boolean', default: false },
  },
});
const records = Number(values.records);
const sliceMs = Number(values.slice) * 1_000;
const callers = Number(values.callers);

await using postgres = await startPostgres({
  fsync: values.fsync,
  settings: { shared_buffers: '1GB', max_wal_size: '4GB', maintenance_work_mem: '256MB' },
});
const binary = findRedisBinary();
await using redis = binary ? await startRedis({ binary }) : undefined;
const pool = new Pool({ connectionString: postgres.url });
console.log((await pool.query('SELECT version()')).rows[0].version);
console.log(`Node ${process.version}, ${redis ? 'claims in Redis' : 'no claims: no Redis on PATH'}`);
await postgresRecords(pool).migrate();
await pool.query(
  'CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sku text, quantity int)',
);
await seedRecords(pool, {
  expired: records,
  live: records / 10,
  onProgress: (rows) => {
    if (rows % 1_000_000 === 0) console.log(`  seeded ${rows}`);
  },
});
console.log(
  `${records} expired records, ${records / 10} live ones among them; ${callers} callers, 2 instances`,
);

await using instances = await startInstances(2, {
  DATABASE_URL: postgres.url,
  REDIS_URL: redis?.url ?? '',
  SHARE: values.share,
  BATCH: values.batch,
});
const slice = (into: Slices): Promise<void> => load(instances.urls, { callers, forMs: sliceMs, into });
await slice(new Slices());

const before = new Slices();
const sweeping = new Slices();
const after = new Slices();
let swept = 0;
let sweepingMs = 0;
for (let round = 1; round <= Number(values.rounds) && swept < records; round++) {
  await slice(before);
  const beganAt = performance.now();
  await instances.sweep(true);
  await slice(sweeping);
  swept = await instances.sweep(false);
  sweepingMs += performance.now() - beganAt;
  await slice(after);
  if (round % 20 === 0) console.log(`  round ${round}: ${swept} swept`);
}

console.log(
  `\nswept ${swept} in ${(sweepingMs / 1000).toFixed(0)} s: ${perSecond(swept, sweepingMs)} records/s`,
);
console.log(`calls: ${before.calls} before, ${sweeping.calls} while sweeping, ${after.calls} after`);
tell('calls a second', (slices) => slices.perSecond);
tell('p50, ms', (slices) => slices.within(0.5));
tell('p99, ms', (slices) => slices.within(0.99));
const { rows } = await pool.query(`SELECT count(*) FILTER (WHERE expires_at < now())::int AS expired,
  count(*) FILTER (WHERE scope LIKE '["user-%' AND expires_at >= now())::int AS live FROM idempotency_records`);
const [{ expired, live }] = rows;
console.log(`left: ${expired} expired, ${live} of ${records / 10} live`);
await pool.end();
// Counted once each by two sweepers, and no live one touched.
if (expired + swept !== records || live !== records / 10) {
  console.error('the sweepers counted wrong, or deleted what was live');
  process.exitCode = 1;
}

function tell(name: string, figure: (slices: Slices) => number): void {
  const [one, during, other] = [figure(before), figure(sweeping), figure(after)];
  const ratio = (2 * during) / (one + other);
  console.log(
    `${name.padEnd(15)} resting ${one.toFixed(1)} and ${other.toFixed(1)}, sweeping ${during.toFixed(1)}; sweeping/resting ${ratio.toFixed(3)}; resting/resting ${(other / one).toFixed(3)}`,
  );
}

function perSecond(count: number, ms: number): number {
  return Math.round((count / ms) * 1_000);
}
