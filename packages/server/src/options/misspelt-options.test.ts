import { initTRPC } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { memoryClaims } from '../claims/memory-claims.js';
import { redisClaims } from '../claims/redis-claims.js';
import { createOnce } from '../procedure/create-once.js';
import { executorDatabase } from '../records/databases/executor-database.js';
import { pgDatabase } from '../records/databases/pg-database.js';
import { recordsIn } from '../records/postgres-records.js';
import { pgliteRecords, postgresRecords } from '../records/ready-made.js';

// In plain JavaScript, or behind a spread, a misspelt option would leave its default in force unseen.

const nothing = (): never => {
  throw new Error('not called');
};
const pool = { connect: nothing } as never;
const redis = { evalsha: nothing } as never;
const pglite = { transaction: nothing } as never;
const good = { scope: () => 'ann', records: recordsIn(pgDatabase(pool)) };
const t = initTRPC.create();
const shop = defineContract({
  pay: procedure.input(z.number()).idempotent().mutation(),
  orders: { place: procedure.idempotent().mutation(), list: procedure.query() },
});
const handlers = { pay: () => {}, orders: { place: () => {}, list: () => {} } };
const once = createOnce(good);

test.each<[string, string, string, (option: object) => unknown]>([
  ['createOnce', 'scopes', 'scope', (option) => createOnce({ ...good, ...option })],
  ['createOnce', 'onEvents', 'onEvent', (option) => createOnce({ ...good, ...option })],
  ['createOnce', 'runTimeout', 'runTimeoutMs', (option) => createOnce({ ...good, ...option })],
  ['sweep', 'everyMS', 'everyMs', (option) => createOnce({ ...good, sweep: option })],
  ['whenInProgress', 'wait', 'waitMs', (option) => createOnce({ ...good, whenInProgress: option as never })],
  ['postgresRecords', 'shema', 'schema', (option) => postgresRecords(pool, option)],
  ['postgresRecords', 'prepare', 'prepared', (option) => postgresRecords(pool, option)],
  ['pgliteRecords', 'shema', 'schema', (option) => pgliteRecords(pglite, option)],
  ['recordsIn', 'prepared', '', (option) => recordsIn(pgDatabase(pool), option)],
  ['pgDatabase', 'connectTimeoutMS', 'connectTimeoutMs', (option) => pgDatabase(pool, option)],
  [
    'executorDatabase',
    'answerTimeout',
    'answerTimeoutMs',
    (option) => executorDatabase({ transaction: nothing, execute: nothing, ...option }),
  ],
  ['redisClaims', 'prefixes', 'prefix', (option) => redisClaims(redis, option)],
  ['memoryClaims', 'maxEntrys', 'maxEntries', (option) => memoryClaims(option)],
  ['idempotent', 'leaseMS', 'leaseMs', (option) => once.idempotent({ t, ...option })],
  [
    'implement',
    'procedures',
    'procedure',
    (option) => once.implement(shop, { procedure: t.procedure, ...option }, handlers as never),
  ],
  [
    'runTimeoutMs',
    'orders.plaec',
    'orders.place',
    (option) => once.implement(shop, { procedure: t.procedure, runTimeoutMs: option }, handlers as never),
  ],
  [
    'errors.POOR',
    'codes',
    'code',
    (option) => once.idempotent({ t, errors: { POOR: { code: 'CONFLICT', ...option } } }),
  ],
])('%s({ %s }) is a TypeError that asks for %j', (where, option, meant, call) => {
  const make = () => call({ [option]: 1 });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(`${where}({ ${option} }): there is no such option`);
  if (meant) expect(make).toThrow(`did you mean ${meant}?`);
  expect(() => call({})).not.toThrow(/no such option/);
});

test('what storesFromEnv gives besides may come along', () => {
  const stores = { ...good, db: {}, description: 'records in PGlite', close: nothing };
  expect(() => createOnce(stores)).not.toThrow();
});

test('a run time limit of a procedure that needs no key is none', () => {
  const runTimeoutMs = { 'orders.list': 5 } as object;
  expect(() => once.implement(shop, { procedure: t.procedure, runTimeoutMs }, handlers as never)).toThrow(
    'runTimeoutMs({ orders.list }): there is no such option',
  );
});

test('sweeper.start() takes no options, and what a listener is given is none', async () => {
  const { sweeper } = createOnce(good);
  const start = sweeper.start as (...given: unknown[]) => void;
  for (const options of [{ everyMs: 5 }, { everyMS: 5 }])
    expect(() => start(options)).toThrow('createOnce({ sweep: { everyMs, … } })');
});

test('a declared error whose code tRPC does not know would be a 500 at its first throw', () => {
  const make = () => once.idempotent({ t, errors: { POOR: { code: 'CONFLCT' as never } } });
  expect(make).toThrow("errors.POOR needs a code of tRPC's, and CONFLCT is none: did you mean CONFLICT?");
  expect(() => once.idempotent({ t, errors: { POOR: undefined as never } })).toThrow(TypeError);
});

test('executorDatabase() needs something to run SQL with', () => {
  expect(() => executorDatabase(undefined as never)).toThrow('needs transaction, a function');
  expect(() => executorDatabase({ transaction: nothing } as never)).toThrow('needs execute, a function');
});
