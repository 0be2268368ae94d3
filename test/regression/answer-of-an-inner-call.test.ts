import { initTRPC, TRPCError } from '@trpc/server';
import { readIdempotency } from '@trpc-once/contract';
import { createOnce, postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { createBankTables, effects, type Sql } from '../bank/bank-tables.js';
import { signal } from '../invariants/signal.js';
import { freshDatabase } from '../resources/index.js';

// The inner call's "still running" was a CONFLICT, a 4xx, and so became the outer one's outcome, for a day.
test('a handler that passes on the IN_PROGRESS of an operation it calls is released, and succeeds later', async () => {
  await using database = await freshDatabase();
  const pool = database.pool();
  await createBankTables(pool);
  const once = createOnce<object, Sql>({ records: postgresRecords(pool) as never, scope: () => 'ann' });
  await once.migrate();
  const t = initTRPC.context<object>().create();
  const inside = signal();
  const goOn = signal();
  const keyed = t.procedure.use(once.idempotent({ t }));
  const write = (ctx: { tx: Sql; idempotencyKey: string }, path: string) =>
    ctx.tx.query('INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, 0)', [path, ctx.idempotencyKey]);
  const parts = t.router({
    reserve: keyed.mutation(async ({ ctx }) => {
      await write(ctx, 'reserve');
      inside.give();
      await goOn.given;
      return 'reserved';
    }),
  });
  const reserve = () => parts.createCaller(once.withKey({}, 'k1-reserve')).reserve();
  const shop = t.router({
    order: keyed.mutation(async ({ ctx }) => {
      await write(ctx, 'order');
      return reserve();
    }),
  });
  const order = () => shop.createCaller(once.withKey({}, 'k1')).order();

  const reserving = reserve();
  await inside.given;
  expect(readIdempotency(await order().catch((error: unknown) => error))?.settlement).toBe('released');
  goOn.give();
  await reserving;
  expect(await order()).toBe('reserved');
  expect(await order()).toBe('reserved');
  expect(await effects(pool)).toBe(2);
  await once.close();
});

// What an inner call failed with was lost on its way out of it, and again on its way out of the outer one.
test('an outcome that a handler passes on leads back, cause by cause, to what was thrown first', async () => {
  await using database = await freshDatabase();
  const once = createOnce<object, Sql>({
    records: postgresRecords(database.pool()) as never,
    scope: () => 'ann',
  });
  await once.migrate();
  const t = initTRPC.context<object>().create();
  const keyed = t.procedure.use(once.idempotent({ t }));
  const thrown = new RangeError('the shelf is bare');
  const parts = t.router({
    reserve: keyed.mutation(() => {
      throw new TRPCError({ code: 'CONFLICT', message: 'none left', cause: thrown });
    }),
  });
  const shop = t.router({
    // With its own context, which knows that it is behind a claim: but not behind this call's.
    order: keyed.mutation(({ ctx }) => parts.createCaller(once.withKey(ctx, 'k1-reserve')).reserve()),
  });
  const order = () =>
    shop
      .createCaller(once.withKey({}, 'k1'))
      .order()
      .catch((error: unknown) => error);
  const causes = (error: unknown): unknown[] =>
    error instanceof Error ? [error.cause, ...causes(error.cause)] : [];

  const first = await order();
  expect(first).toMatchObject({ code: 'CONFLICT', idempotency: { key: 'k1', settlement: 'settled' } });
  expect(causes(first)).toContain(thrown);
  const again = await order();
  expect(again).toMatchObject({ code: 'CONFLICT', idempotency: { key: 'k1', settlement: 'replayed' } });
  expect(again).toHaveProperty('cause', undefined);
  await once.close();
});
