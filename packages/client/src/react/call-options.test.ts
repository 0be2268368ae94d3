import { createTRPCClient, httpLink } from '@trpc/client';
import { defineContract, procedure, type RouterOf } from '@trpc-once/contract';
import { describe, expect, test } from 'vitest';
import { createIdempotentClient } from '../client/create-idempotent-client.js';
import { idempotencyLink } from '../link/idempotency-link.js';
import { idempotent } from '../link/idempotent.js';
import { memoryStorage } from '../outbox/storages/memory.js';
import { idempotentMutation } from './idempotent-mutation.js';

const contract = defineContract({ pay: procedure.idempotent().mutation() });
const url = 'https://shop.example/trpc';

/** Clients of both kinds, and what they sent. */
function clients() {
  const keys: (string | null)[] = [];
  const fetch = async (_: unknown, init: RequestInit) => {
    keys.push(new Headers(init.headers).get('idempotency-key'));
    return new Response('{"result":{}}');
  };
  const options = { contract, url, owner: () => 'ann', storage: memoryStorage(), fetch };
  const link = idempotencyLink(options);
  const trpc = createTRPCClient<RouterOf<typeof contract>>({ links: [link, httpLink({ url })] });
  return { client: createIdempotentClient(options), trpc, keys, outbox: link.outbox };
}

type Made = ReturnType<typeof clients>;

/** Ways to say something of a call. */
const ways: [string, (by: Made, said: any) => Promise<unknown>][] = [
  ["the client's options", ({ client }, said) => client.pay.mutate(undefined, said)],
  ["the client's context", ({ client }, said) => client.pay.mutate(undefined, idempotent(said))],
  ["the link's context", ({ trpc }, said) => trpc.pay.mutate(undefined, idempotent(said))],
];

describe.each(ways)('in %s', (_, call) => {
  test.each([
    [
      { intend: 'checkout:1' },
      'options',
      /intend is not an option; they are intent, key, owner, lane, onFailure, /,
    ],
    [{ intent: 'checkout:1', keys: 'k' }, 'options', /keys is not an option/],
    [
      { key: undefined },
      'key',
      /key is given and undefined: wait until it is known, or leave the option out/,
    ],
    [{ key: null }, 'key', /key is given and undefined/],
    [{ intent: undefined }, 'intent', /intent is given and undefined/],
    [{ intent: 'checkout:1', key: undefined }, 'key', /key is given and undefined/],
    [{ lane: undefined }, 'options', /lane is given and undefined/],
  ])('%o is refused before anything is sent', async (said, reason, message) => {
    const made = clients();
    const error = await call(made, said).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NotSentError', reason, path: 'pay' });
    expect((error as Error).message).toMatch(message);
    expect(made.keys).toEqual([]);
    expect(await made.outbox.list()).toEqual([]);
  });

  test('what is spelt right is heard', async () => {
    const made = clients();
    const heard: string[] = [];
    await call(made, {
      key: 'k1',
      retry: { maxAttempts: 1 },
      waitMs: undefined,
      onKey: (key: string) => heard.push(key),
    });
    expect(made.keys).toEqual(['"k1"']);
    expect(heard).toEqual(['k1']);
  });
});

test.each([
  [{ idempotent: { intent: 'checkout:1' } }, /context\.idempotent is not an option/],
  [{ idempotencyKey: 'k1' }, /context\.idempotencyKey is not an option/],
  [{ intent: 'checkout:1' }, /context\.intent is not an option/],
  [{ idempotency: undefined }, /idempotency is given and undefined/],
])('a context of %o says nothing that anybody hears, and is refused', async (context, message) => {
  const { client, trpc, keys } = clients();
  for (const call of [client.pay.mutate(undefined, { context }), trpc.pay.mutate(undefined, { context })])
    await expect(call).rejects.toThrow(message);
  expect(keys).toEqual([]);
});

test("other links' names in a context are theirs", async () => {
  const { client, trpc, keys } = clients();
  const context = { trace: 1, key: 'theirs', retry: 3, signal: true };
  await client.pay.mutate(undefined, { context });
  await trpc.pay.mutate(undefined, { context });
  await trpc.pay.mutate(undefined, { context: { ...context, intent: 'theirs', idempotency: { key: 'k1' } } });
  expect(keys).toHaveLength(3);
  expect(keys[2]).toBe('"k1"');
});

test.each(['client', 'trpc'] as const)(
  "TanStack Query's options over a %s refuse a name that is not known, and hand on the one that is",
  async (of) => {
    const made = clients();
    const pay = made[of].pay as { mutate(input: unknown, options?: unknown): Promise<unknown> };
    for (const options of [{ intent: () => undefined }, { key: () => undefined }, { intend: () => 'x' }])
      await expect(idempotentMutation(pay, options as never).mutationFn(undefined)).rejects.toMatchObject({
        name: 'NotSentError',
      });
    const named = idempotentMutation(pay, { key: (id: string) => id, input: () => undefined });
    await named.mutationFn('k7');
    const context = {};
    const unnamed = idempotentMutation(pay);
    await unnamed.mutationFn(undefined, context);
    await unnamed.mutationFn(undefined, context);
    expect(made.keys).toHaveLength(3);
    expect(made.keys[0]).toBe('"k7"');
    expect(made.keys[2]).toBe(made.keys[1]);
  },
);
