import { PGlite } from '@electric-sql/pglite';
import { initTRPC } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import {
  type Claim,
  createOnce,
  memoryClaims,
  pgliteRecords,
  postgresRecords,
  type RecordStore,
} from '@trpc-once/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Disposal } from '../bank/disposal.js';
import { freshDatabase } from '../resources/index.js';

const bulk = defineContract({
  place: procedure.input(z.string()).output(z.string()).idempotent().mutation(),
  orders: { import: procedure.input(z.string()).output(z.string()).idempotent().mutation() },
});

interface Tx {
  query(text: string): Promise<{ rows: { limit: string }[] }>;
}

type Stores = (stack: Disposal) => Promise<RecordStore<Tx>>;

const overPool: Stores = async (stack) =>
  postgresRecords(stack.use(await freshDatabase()).pool()) as unknown as RecordStore<Tx>;

const overPGlite: Stores = async (stack) => {
  const db = await PGlite.create();
  stack.defer(() => db.close());
  return pgliteRecords(db) as unknown as RecordStore<Tx>;
};

/** What holds for all here; a good handler on a busy machine is done by then. */
const runTimeoutMs = 3_000;

/** Handlers tell what Postgres was told, and where the input says so never return. */
async function handler({ tx, input }: { tx: Tx; input: string }): Promise<string> {
  if (input === 'hangs') await new Promise(() => {});
  const { rows } = await tx.query(`SELECT current_setting('statement_timeout') AS limit`);
  return rows[0]?.limit ?? '';
}

async function open(stack: Disposal, stores: Stores, ownMs: number) {
  const claimed: Claim[] = [];
  const claims = memoryClaims();
  const once = createOnce({
    records: await stores(stack),
    claims: {
      ...claims,
      claim: (claim) => {
        claimed.push(claim);
        return claims.claim(claim);
      },
    },
    scope: () => 'ann',
    runTimeoutMs,
    onEvent: () => {},
  });
  await once.migrate();
  stack.defer(() => once.close());
  const t = initTRPC.create();
  const router = t.router({
    contracted: once.implement(
      bulk,
      { procedure: t.procedure, runTimeoutMs: { 'orders.import': ownMs } },
      { place: handler, orders: { import: handler } },
    ),
    plain: t.procedure
      .input(z.string())
      .use(once.idempotent({ t, runTimeoutMs: ownMs }))
      .mutation(({ ctx, input }) => handler({ tx: ctx.tx, input })),
  });
  const caller = (key: string) => router.createCaller(once.withKey({}, key));
  return { caller, leaseOf: (key: string) => claimed.find(({ id }) => id.key === key)?.leaseMs };
}

const places: [string, Stores][] = [
  ['a pool', overPool],
  ['PGlite', overPGlite],
];

test.each(places)(
  'a procedure with a limit of its own is ended by it, and its lease with it; the others keep to theirs (%s)',
  async (_, stores) => {
    await using stack = new Disposal();
    const { caller, leaseOf } = await open(stack, stores, 500);
    expect(await caller('a').contracted.place('fine')).toBe('4s');
    expect(leaseOf('a')).toBe(30_000);
    const released = { code: 'SERVICE_UNAVAILABLE', idempotency: { settlement: 'released' } };
    const timedOut = { ...released, cause: { name: 'RunTimeoutError', runTimeoutMs: 500 } };
    await expect(caller('b').contracted.orders.import('hangs')).rejects.toMatchObject(timedOut);
    await expect(caller('c').plain('hangs')).rejects.toMatchObject(timedOut);
    expect([leaseOf('b'), leaseOf('c')]).toEqual([500, 500]);
  },
);

test.each(places)('it may be longer than theirs, and Postgres is told so (%s)', async (_, stores) => {
  await using stack = new Disposal();
  const { caller, leaseOf } = await open(stack, stores, 59_000);
  expect(await caller('a').contracted.orders.import('fine')).toBe('1min');
  expect(await caller('b').plain('fine')).toBe('1min');
  expect(leaseOf('a')).toBe(30_000);
});
