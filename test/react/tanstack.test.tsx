import {
  dehydrate,
  hydrate,
  MutationObserver,
  onlineManager,
  QueryClient,
  QueryClientProvider,
  useMutation,
} from '@tanstack/react-query';
import { createTRPCClient } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { idempotencyLink, memoryStorage } from '@trpc-once/client';
import { idempotentMutation } from '@trpc-once/client/react';
import type { RouterOf } from '@trpc-once/contract';
import { until } from '@trpc-once/local-services';
import { expect, test } from 'vitest';
import { shopClient } from '../client/clients.js';
import { loseAnswer, trpcError } from '../client/replies.js';
import { scriptedServer } from '../client/scripted-server.js';
import { shop } from '../client/shop-contract.js';
import type { Client } from './checkout.js';
import { mount } from './mount.js';

const impatient = { maxAttempts: 1, minDelayMs: 1, maxDelayMs: 2 };
/** What an app may have set for all its mutations. */
const eager = { retry: 3, retryDelay: 1 };

const keysOf = (server: { arrived: readonly { key: string | undefined }[] }) =>
  new Set(server.arrived.map(({ key }) => key));

test('case 3: useMutation and the outbox both retry, and there is one key throughout', async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, loseAnswer, loseAnswer);
  const client = shopClient(server.url, { retry: impatient });
  const queries = new QueryClient();
  using page = mount(
    <QueryClientProvider client={queries}>
      <PlaceButton client={client} />
    </QueryClientProvider>,
  );
  page.tap('place', 2);
  await page.shows('success place');
  expect(keysOf(server).size).toBe(1);
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});

function PlaceButton({ client }: { readonly client: Client }) {
  const place = useMutation({
    ...idempotentMutation(client.orders.place, { intent: () => 'checkout:1' }),
    ...eager,
  });
  return (
    <p>
      {place.status}{' '}
      <button type="button" onClick={() => place.mutate({ sku: 'tea' })}>
        place
      </button>
    </p>
  );
}

test.each([
  ['with an intent', { intent: () => 'checkout:1' }],
  ['without one', {}],
])('a mutation that retries even an outcome, %s, asks for the same operation', async (_, options) => {
  await using server = await scriptedServer();
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  const soldOut = trpcError(409, { code: 'CONFLICT', declared, facts: { settlement: 'replayed' } });
  server.always(soldOut);
  const client = shopClient(server.url, { retry: impatient });
  const mutation = new MutationObserver(new QueryClient(), {
    ...idempotentMutation(client.orders.place, options),
    ...eager,
  });
  await expect(mutation.mutate({ sku: 'tea' })).rejects.toMatchObject({ data: { declared } });
  expect(server.arrived).toHaveLength(4);
  expect(keysOf(server).size).toBe(1);
  // The next mutation is another operation.
  await expect(mutation.mutate({ sku: 'tea' })).rejects.toMatchObject({ data: { declared } });
  expect(keysOf(server).size).toBe(2);
  await client.outbox.close();
});

test.each([
  ['an intent', { intent: () => 'checkout:1' }],
  ['a key', { key: () => 'tapped-once' }],
  ['no name', {}],
])(
  'a retry that comes when somebody else is signed in, with %s, is left to its owner',
  async (_, options) => {
    await using server = await scriptedServer();
    let owner = 'ann';
    const client = shopClient(server.url, {
      ...{ retry: { ...impatient, maxAttempts: 1 }, owner: () => owner },
      headers: (of: { readonly owner: string | null }) => ({ 'x-owner': of.owner ?? '' }),
    });
    server.next(loseAnswer);
    const switching = (failures: number) => {
      owner = 'bob';
      return failures < 2;
    };
    const mutation = new MutationObserver(new QueryClient(), {
      ...idempotentMutation(client.orders.place, options),
      ...{ retry: switching, retryDelay: 1 },
    });
    await expect(mutation.mutate({ sku: 'tea' })).rejects.toMatchObject({
      name: 'OperationParkedError',
      reason: 'owner-changed',
    });
    expect(server.arrived.map(({ headers }) => headers['x-owner'])).toEqual(['ann']);
    owner = 'ann';
    await client.outbox.resume();
    expect(new Set(server.arrived.map(({ headers }) => headers['x-owner']))).toEqual(new Set(['ann']));
    expect(server.effects).toHaveLength(1);
    await client.outbox.close();
  },
);

test('a mutation that was persisted for somebody who has signed out is not sent for the next', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url, { retry: impatient, owner: () => 'bob' });
  interface OfOwner extends Kept {
    readonly owner: string;
  }
  const restored = new MutationObserver(
    new QueryClient(),
    idempotentMutation(client.orders.place, {
      input: ({ sku }: OfOwner) => ({ sku }),
      key: ({ key }: OfOwner) => key,
      owner: ({ owner }: OfOwner) => owner,
    }),
  );
  const call = restored.mutate({ sku: 'tea', key: 'made-where-the-user-tapped', owner: 'ann' });
  await expect(call).rejects.toMatchObject({ name: 'OutcomeUnknownError', reason: 'elsewhere' });
  expect(server.arrived).toEqual([]);
  await client.outbox.close();
});

test('as they are given, the options leave retrying to the outbox', async () => {
  await using server = await scriptedServer();
  server.always(loseAnswer);
  const client = shopClient(server.url, { retry: { ...impatient, maxAttempts: 2 } });
  const queries = new QueryClient({ defaultOptions: { mutations: eager } });
  const mutation = new MutationObserver(queries, idempotentMutation(client.orders.place));
  await expect(mutation.mutate({ sku: 'tea' })).rejects.toMatchObject({ name: 'OutcomeUnknownError' });
  expect(server.arrived).toHaveLength(2);
  await client.outbox.close();
});

test('offline, a mutation is kept in the outbox at once, not paused in memory', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url, { retry: impatient });
  onlineManager.setOnline(false);
  try {
    const mutation = new MutationObserver(
      new QueryClient(),
      idempotentMutation(client.orders.place, { intent: () => 'checkout:1' }),
    );
    server.next(({ response }) => response.destroy());
    await mutation.mutate({ sku: 'tea' }).catch(() => {});
    expect(await client.outbox.list()).toMatchObject([{ intent: 'checkout:1' }]);
    expect(mutation.getCurrentResult().isPaused).toBe(false);
  } finally {
    onlineManager.setOnline(true);
  }
  await client.outbox.resume();
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});

test('a mutation that TanStack Query persisted, and sends after the outbox settled it, is the same operation', async () => {
  await using server = await scriptedServer();
  const client = shopClient(server.url, { retry: impatient, onSettled: () => {} });
  const options = {
    ...idempotentMutation(client.orders.place, {
      input: ({ sku }: Kept) => ({ sku }),
      key: ({ key }: Kept) => key,
    }),
    ...eager,
    networkMode: 'online' as const,
  };
  const before = new QueryClient();
  server.next(loseAnswer);
  const mutation = new MutationObserver(before, { ...options, mutationKey: ['place'], retryDelay: 20 });
  void mutation.mutate({ sku: 'tea', key: 'made-where-the-user-tapped' });
  await until(() => mutation.getCurrentResult().failureCount === 1);
  onlineManager.setOnline(false);
  await until(() => mutation.getCurrentResult().isPaused);
  const persisted = JSON.parse(JSON.stringify(dehydrate(before)));
  mutation.reset();
  before.clear();
  // The reload: the outbox resumes by itself, and hands its outcome over.
  await client.outbox.resume();
  expect(await client.outbox.list()).toEqual([]);
  const after = new QueryClient();
  after.setMutationDefaults(['place'], options);
  hydrate(after, persisted);
  onlineManager.setOnline(true);
  await after.resumePausedMutations();
  await until(() => after.getMutationCache().getAll()[0]?.state.status === 'success');
  expect(keysOf(server).size).toBe(1);
  expect(server.effects).toHaveLength(1);
  await client.outbox.close();
});

interface Kept {
  readonly sku: string;
  readonly key: string;
}

test("@trpc/tanstack-react-query's options, spread under ours, keep one key though both retry", async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, loseAnswer);
  const client = shopClient(server.url, { retry: impatient });
  const queryClient = new QueryClient();
  const trpc = createTRPCOptionsProxy<RouterOf<typeof shop>>({ client, queryClient });
  const placing = trpc.orders.place.mutationOptions();
  const mutation = new MutationObserver(queryClient, {
    ...placing,
    ...idempotentMutation(client.orders.place, { intent: () => 'checkout:1' }),
    ...eager,
  });
  expect(await mutation.mutate({ sku: 'tea' })).toEqual({ orderId: server.effects[0] });
  expect(mutation.options.mutationKey).toEqual(trpc.orders.place.mutationKey());
  expect(keysOf(server).size).toBe(1);
  await client.outbox.close();
});

test("@trpc/tanstack-react-query's own options keep one key with an intent in their context", async () => {
  await using server = await scriptedServer();
  server.next(loseAnswer, loseAnswer);
  const client = shopClient(server.url, { retry: impatient });
  const queryClient = new QueryClient();
  const trpc = createTRPCOptionsProxy<RouterOf<typeof shop>>({ client, queryClient });
  const context = { idempotency: { intent: 'checkout:1' } };
  const mutation = new MutationObserver(
    queryClient,
    trpc.orders.place.mutationOptions({ ...eager, networkMode: 'always', trpc: { context } }),
  );
  expect(await mutation.mutate({ sku: 'tea' })).toEqual({ orderId: server.effects[0] });
  expect(server.arrived).toHaveLength(3);
  expect(keysOf(server).size).toBe(1);
  await client.outbox.close();
});

test('a tRPC client with the link takes the same options', async () => {
  await using server = await scriptedServer();
  const declared = { name: 'OUT_OF_STOCK', data: { sku: 'tea' } };
  server.next(loseAnswer, trpcError(409, { code: 'CONFLICT', declared, facts: { settlement: 'settled' } }));
  const once = idempotencyLink({
    contract: shop,
    url: server.url,
    owner: () => 'ann',
    storage: memoryStorage(),
    retry: impatient,
  });
  const client = createTRPCClient<RouterOf<typeof shop>>({ links: [once] });
  const mutation = new MutationObserver(new QueryClient(), {
    ...idempotentMutation(client.orders.place),
    ...eager,
  });
  await mutation.mutate({ sku: 'tea' });
  expect(server.arrived).toHaveLength(3);
  expect(keysOf(server).size).toBe(1);
  await once.outbox.close();
});
