import type { AddressInfo } from 'node:net';
import { createTRPCClient, httpBatchLink, httpLink, TRPCClientError } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { declaredError, type RouterOf, readIdempotency } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { type BankContext, bankRouter } from '../bank/bank-router.js';
import { bank as contract, effects, oneEuro, openBank } from '../bank/index.js';

type Router = RouterOf<typeof contract>;
const withKey = (url: string, key: string) =>
  createTRPCClient<Router>({ links: [httpLink({ url, headers: { 'idempotency-key': key } })] });

test('a plain tRPC client that sends the header gets the same guarantees', async () => {
  await using bank = await openBank();
  const client = withKey(bank.url, 'k1');
  const first = await client.transfer.mutate(oneEuro);
  expect(await client.transfer.mutate(oneEuro)).toEqual(first);
  expect(await effects(bank.db)).toBe(1);

  const mismatch = await client.transfer.mutate({ ...oneEuro, cents: 1 }).catch((error: unknown) => error);
  expect(mismatch).toBeInstanceOf(TRPCClientError);
  expect(readIdempotency(mismatch)).toEqual({ refusal: 'FINGERPRINT_MISMATCH', key: 'k1' });
  expect((mismatch as TRPCClientError<Router>).data?.httpStatus).toBe(422);
});

test('a plain tRPC client reads a declared error by its name, and sees that it replays', async () => {
  await using bank = await openBank();
  const client = withKey(bank.url, 'k1');
  for (const settlement of ['settled', 'replayed'] as const) {
    const error = await client.transfer.mutate({ ...oneEuro, cents: 1e9 }).catch((cause: unknown) => cause);
    expect(declaredError(error, contract.transfer)).toEqual({
      name: 'INSUFFICIENT_FUNDS',
      data: { balanceCents: 100_000 },
    });
    expect(readIdempotency(error)).toEqual({ settlement, key: 'k1' });
  }
});

test('a plain tRPC client without the header is told what to do, and its batches go on for everything else', async () => {
  await using bank = await openBank();
  const client = createTRPCClient<Router>({ links: [httpBatchLink({ url: bank.url })] });
  const [a, b, refused] = await Promise.allSettled([
    client.balance.query('a'),
    client.balance.query('b'),
    client.transfer.mutate(oneEuro),
  ]);
  expect(a).toMatchObject({ value: 100_000 });
  expect(b).toMatchObject({ value: 100_000 });
  expect(readIdempotency((refused as PromiseRejectedResult).reason)).toEqual({ refusal: 'KEY_MISSING' });
  expect(await effects(bank.db)).toBe(0);
});

test('a router nested in the app’s own says the same, and keeps the app’s error format', async () => {
  await using bank = await openBank();
  const t = initTRPC.context<BankContext>().create({
    errorFormatter: ({ shape }) => ({ ...shape, data: { ...shape.data, trace: 'app' } }),
  });
  const once = bank.bank.once;
  const router = t.router({ bank: bankRouter(once, bank.db, {}), ping: t.procedure.query(() => 'pong') });
  const server = createHTTPServer({
    router,
    createContext: once.context(() => ({ user: 'ann' })),
    responseMeta: once.responseMeta,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createTRPCClient<typeof router>({
      links: [httpLink({ url, headers: { 'idempotency-key': 'k1' } })],
    });
    const first = await client.bank.transfer.mutate(oneEuro);
    expect(await client.bank.transfer.mutate(oneEuro)).toEqual(first);
    const mismatch = await client.bank.transfer.mutate({ ...oneEuro, cents: 1 }).catch((error) => error);
    expect(readIdempotency(mismatch)?.refusal).toBe('FINGERPRINT_MISMATCH');
    expect(await effects(bank.db)).toBe(1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an existing tRPC procedure becomes idempotent by a middleware alone', async () => {
  await using bank = await openBank();
  const { once } = bank.bank;
  const t = initTRPC.context<BankContext>().create({ isDev: false });
  const router = t.router({
    pay: t.procedure
      .input((value: unknown) => value as { cents: number })
      .use(once.idempotent({ t, errors: { TOO_MUCH: { code: 'CONFLICT' } } }))
      .mutation(async ({ input, ctx }) => {
        await ctx.tx.query('INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, $3)', [
          'pay',
          ctx.idempotencyKey,
          input.cents,
        ]);
        if (input.cents > 100) throw ctx.errors.TOO_MUCH();
        return { paid: input.cents, by: ctx.user };
      }),
  });
  const call = (key: string) => router.createCaller(once.withKey({ user: 'ann' }, key));
  expect(await call('k1').pay({ cents: 5 })).toEqual({ paid: 5, by: 'ann' });
  expect(await call('k1').pay({ cents: 5 })).toEqual({ paid: 5, by: 'ann' });
  expect(await effects(bank.db, 'k1')).toBe(1);
  for (const settlement of ['settled', 'replayed'] as const) {
    const error = await call('k2')
      .pay({ cents: 500 })
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'CONFLICT', data: { declared: { name: 'TOO_MUCH' } } });
    expect(readIdempotency(error)).toEqual({ settlement, key: 'k2' });
  }
  expect(await effects(bank.db, 'k2')).toBe(0);
  await expect(call('k1').pay({ cents: 6 })).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' });
});
