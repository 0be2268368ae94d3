import { TRPCError } from '@trpc/server';
import { type ClientOptions, createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { declaredError } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { bank, effects, oneEuro, openBank } from '../bank/index.js';

const fast = { minDelayMs: 1, maxDelayMs: 20 };

/** A client of the real server whose answers are lost as often as told: the server has committed by then. */
function bankClient(url: string, { lose = 0, ...options }: Partial<ClientOptions> & { lose?: number } = {}) {
  let user = 'ann';
  let left = lose;
  const client = createIdempotentClient({
    contract: bank,
    url,
    owner: () => 'ann',
    storage: memoryStorage(),
    headers: () => ({ 'x-user': user }),
    retry: fast,
    async fetch(address, init) {
      const response = await fetch(address, init);
      await response.clone().text();
      left -= 1;
      if (left >= 0) throw new TypeError('the answer was lost');
      return response;
    },
    ...options,
  });
  return {
    client,
    actAs(name: string) {
      user = name;
    },
  };
}

test('answers lost after commit are replayed under the same key, and the money moves once', async () => {
  await using it = await openBank();
  const { client } = bankClient(it.url, { lose: 3 });
  const notes: string[] = [];
  client.outbox.subscribe(({ type, operation }) => {
    if (type === 'settled') notes.push(...operation.notes.map(({ ended }) => ended));
  });
  const call = client.transfer.mutate(oneEuro);
  expect(await call).toEqual({ id: 1, balanceCents: 99_900 });
  expect(await effects(it.db, await call.key())).toBe(1);
  expect(notes).toEqual(['network', 'network', 'network', 'replayed']);
});

test('a declared error is an outcome: replayed after a lost answer, read by its contract', async () => {
  await using it = await openBank();
  const { client } = bankClient(it.url, { lose: 1 });
  const error = await client.transfer
    .mutate({ from: 'a', to: 'b', cents: 1_000_000 })
    .catch((error: unknown) => error);
  expect(declaredError(error, bank.transfer)).toEqual({
    name: 'INSUFFICIENT_FUNDS',
    data: { balanceCents: 100_000 },
  });
  expect(error).toMatchObject({ data: { idempotency: { settlement: 'replayed' } } });
  expect(await effects(it.db)).toBe(0);
});

test('a "no" from in front of the claim, after a commit whose answer was lost, is not called a failure', async () => {
  await using it = await openBank();
  const { client, actAs } = bankClient(it.url, { lose: 1, retry: { ...fast, maxAttempts: 1 } });
  const { key, resume }: any = await client.transfer.mutate(oneEuro).catch((error: unknown) => error);
  actAs('banned');
  await expect(resume()).rejects.toMatchObject({
    name: 'OutcomeUnknownError',
    reason: 'declined',
    cause: { data: { code: 'FORBIDDEN' } },
  });
  expect(await client.outbox.list()).toMatchObject([{ key, state: 'parked', parked: 'declined' }]);
  actAs('ann');
  expect(await client.outbox.resume(key)).toEqual({ id: 1, balanceCents: 99_900 });
  expect(await effects(it.db, key)).toBe(1);
});

test('the same "no" to the first attempt is the outcome, since nothing can have run', async () => {
  await using it = await openBank();
  const { client, actAs } = bankClient(it.url);
  actAs('banned');
  await expect(client.transfer.mutate(oneEuro)).rejects.toMatchObject({
    name: 'TRPCClientError',
    data: { code: 'FORBIDDEN' },
  });
  expect(await client.outbox.list()).toEqual([]);
});

test('a "no" from the handler is the outcome even after a lost answer: the server has looked', async () => {
  let calls = 0;
  const before = () => {
    calls += 1;
    throw calls === 1 ? new Error('a bug') : new TRPCError({ code: 'NOT_FOUND' });
  };
  await using it = await openBank({ hooks: { before } });
  const { client } = bankClient(it.url, { lose: 1 });
  await expect(client.transfer.mutate(oneEuro)).rejects.toMatchObject({
    name: 'TRPCClientError',
    data: { code: 'NOT_FOUND' },
  });
  expect(calls).toBe(2);
  expect(await effects(it.db)).toBe(0);
});

test('nobody signed in parks the operation, and signing in settles it under its key', async () => {
  await using it = await openBank();
  const { client, actAs } = bankClient(it.url);
  actAs('');
  const error: any = await client.transfer.mutate(oneEuro).catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'OperationParkedError', reason: 'unauthorized' });
  actAs('ann');
  expect(await client.outbox.resume(error.key)).toMatchObject({ balanceCents: 99_900 });
  expect(await effects(it.db, error.key)).toBe(1);
});

test('a call that is still running is waited for, not sent a second time under another key', async () => {
  const holding: (() => void)[] = [];
  const before = () => new Promise<void>((resolve) => void holding.push(resolve));
  await using it = await openBank({ hooks: { before } });
  const { client } = bankClient(it.url, { retry: { ...fast, attemptTimeoutMs: 300 } });
  const call = client.transfer.mutate(oneEuro);
  const inProgress = new Promise<void>((resolve) => {
    client.outbox.subscribe(({ operation }) => {
      if (operation.notes.at(-1)?.ended === 'in-progress') resolve();
    });
  });
  await inProgress;
  expect(holding.length).toBe(1);
  holding[0]!();
  expect(await call).toMatchObject({ balanceCents: 99_900 });
  expect(await effects(it.db, await call.key())).toBe(1);
});

test('an input that the server refuses is told at once, and leaves nothing pending', async () => {
  await using it = await openBank();
  const { client } = bankClient(it.url);
  await expect(client.transfer.mutate({ ...oneEuro, cents: -1 })).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST' },
  });
  expect(await client.outbox.list()).toEqual([]);
  expect(await effects(it.db)).toBe(0);
});
