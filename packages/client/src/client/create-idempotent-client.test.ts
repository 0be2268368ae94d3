import { getUntypedClient } from '@trpc/client';
import { ContractError, defineContract, manifest, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { keyOf, memoryStorage } from '../index.js';
import { createIdempotentClient } from './create-idempotent-client.js';

const shop = defineContract({
  orders: { place: procedure.input(z.any()).idempotent().mutation(), list: procedure.query() },
});
const common = { url: 'https://shop.example/trpc', owner: () => 'ann', storage: memoryStorage() };

test('a contract with something called outbox is refused, and the message says what to do', () => {
  for (const taken of [
    defineContract({ outbox: procedure.query() }),
    defineContract({ outbox: { list: procedure.query() } }),
  ]) {
    expect(() => createIdempotentClient({ ...common, contract: taken })).toThrow(ContractError);
    expect(() => createIdempotentClient({ ...common, contract: taken })).toThrow(/hides "outbox.*rename it/);
  }
  const deeper = defineContract({ mail: { outbox: procedure.query() } });
  expect(() => createIdempotentClient({ ...common, contract: deeper })).not.toThrow();
});

test('a transformer that is not the one the contract names is refused', () => {
  const transformed = defineContract({ now: procedure.query() }, { transformer: superjson });
  const other = { serialize: (value: unknown) => value, deserialize: (value: unknown) => value };
  expect(() => createIdempotentClient({ ...common, contract: transformed, transformer: other })).toThrow(
    /another one/,
  );
  expect(() =>
    createIdempotentClient({ ...common, contract: transformed, transformer: superjson }),
  ).not.toThrow();
});

test('a manifest of another version is refused', () => {
  const newer = { ...manifest(shop), version: 2 as never };
  expect(() => createIdempotentClient({ ...common, contract: newer })).toThrow(/version 1, not 2/);
});

test('a retry policy out of its range is refused when the client is made', () => {
  expect(() => createIdempotentClient({ ...common, contract: shop, retry: { maxAttempts: 0 } })).toThrow(
    /maxAttempts/,
  );
});

test('a call that cannot be made says that nothing was sent, and why', async () => {
  const client = createIdempotentClient({ ...common, contract: shop });
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const errors: any[] = await Promise.all([
    client.orders.place.mutate(circular).catch((error) => error),
    client.orders.place.mutate(1, { retry: { maxAttempts: -1 } }).catch((error) => error),
    client.orders.place.mutate(1, { key: '' }).catch((error) => error),
    createIdempotentClient({ ...common, contract: shop, url: '/trpc' })
      .orders.place.mutate(1)
      .catch((error) => error),
  ]);
  expect(errors.map(({ name, reason }) => [name, reason])).toEqual([
    ['NotSentError', 'input'],
    ['NotSentError', 'options'],
    ['NotSentError', 'key'],
    ['NotSentError', 'options'],
  ]);
  for (const error of errors) expect(typeof keyOf(error)).toBe('string');
});

test('where no randomness is to be had, the error says so instead of making a weak key', async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  try {
    const client = createIdempotentClient({ ...common, contract: shop });
    const call = client.orders.place.mutate(1);
    await expect(call).rejects.toMatchObject({ name: 'NotSentError', reason: 'key' });
    await expect(call).rejects.toThrow('crypto.getRandomValues');
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
});

test('the client can be awaited, and what is no call says so', async () => {
  const client: any = createIdempotentClient({ ...common, contract: shop });
  expect(await client).toBe(client);
  expect(() => client.orders.place()).toThrow(/end it with .query\(\) or .mutate\(\)/);
  expect(() => client.orders.place.subscribe()).toThrow(TypeError);
});

test("tRPC's integrations find the client behind it", () => {
  const client = createIdempotentClient({ ...common, contract: shop });
  expect(getUntypedClient(client).mutation).toBeTypeOf('function');
});

test('a new client over a storage that outlives processes resumes by itself; over memory, or when told not to, it does not', async () => {
  const reads: string[] = [];
  const storage = (durable: boolean, name: string) => ({
    ...memoryStorage(),
    durable,
    async entries() {
      reads.push(name);
      return [];
    },
  });
  createIdempotentClient({ ...common, contract: shop, storage: storage(true, 'durable') });
  createIdempotentClient({ ...common, contract: shop, storage: storage(false, 'memory') });
  createIdempotentClient({ ...common, contract: shop, storage: storage(true, 'told'), resumeOnStart: false });
  await new Promise(setImmediate);
  expect(reads).toEqual(['durable']);
});

test('links in front see idempotent calls and ordinary ones', async () => {
  const seen: string[] = [];
  const fetch = async (url: string) => {
    const batch = url.includes('batch=1');
    const result = { result: { data: 1 } };
    return new Response(JSON.stringify(batch ? [result] : result));
  };
  const client = createIdempotentClient({
    ...common,
    contract: shop,
    fetch,
    links: [
      () =>
        ({ op, next }) => {
          seen.push(`${op.path} ${String(op.context['trace'])}`);
          return next(op);
        },
    ],
  });
  await client.orders.place.mutate(1, { context: { trace: 7 } });
  await client.orders.list.query(undefined, { context: { trace: 8 } });
  expect(seen).toEqual(['orders.place 7', 'orders.list 8']);
});

test('a retry policy that cannot be used is named in the error, field and all; no options and no context are none', async () => {
  const client = createIdempotentClient({
    ...common,
    contract: shop,
    fetch: async () => new Response('{"result":{}}'),
  });
  await expect(client.orders.place.mutate(1, { retry: { maxAttempts: 0 } })).rejects.toThrow(/maxAttempts/);
  const place: any = client.orders.place;
  await place.mutate(1, null);
  await place.mutate(1, { context: null });
});
