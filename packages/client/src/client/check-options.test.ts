import { defineContract, manifest, procedure } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { idempotencyLink } from '../link/idempotency-link.js';
import { memoryStorage } from '../outbox/storages/memory.js';
import { createIdempotentClient } from './create-idempotent-client.js';

const contract = defineContract({ pay: procedure.idempotent().mutation() });
const url = 'https://shop.example/trpc';
const owner = () => 'ann';
const storage = memoryStorage();
const good = { contract, url, owner, storage };

const wrong: [string, object | undefined, RegExp][] = [
  ['no options at all', undefined, /^contract is missing: it is what defineContract\(\)/],
  ['no contract', { ...good, contract: undefined }, /^contract is missing/],
  ['a router for a contract', { ...good, contract: { _def: {} } }, /^contract cannot be of type object/],
  ['a name for a contract', { ...good, contract: 'shop' }, /^contract cannot be of type string/],
  ['half a manifest', { ...good, contract: { version: 1 } }, /^contract cannot be/],
  ['no url', { ...good, url: undefined }, /^url is missing: it is where the tRPC server answers/],
  ['null for a url', { ...good, url: null }, /^url is missing/],
  ['a number for a url', { ...good, url: 3000 }, /^url cannot be of type number/],
  [
    'a url without a scheme',
    { ...good, url: 'localhost:3000' },
    /has no scheme: write "http:\/\/localhost:3000"/,
  ],
  ['the same with a path', { ...good, url: 'shop.example:443/trpc' }, /has no scheme/],
  ['no owner', { ...good, owner: undefined }, /^owner is missing: it is a function/],
  ['a name for an owner', { ...good, owner: 'ann' }, /^owner cannot be of type string/],
  ['no storage', { ...good, storage: undefined }, /^storage is missing: .* memoryStorage\(\)/],
  ['a storage that was not made', { ...good, storage: memoryStorage }, /^storage cannot be of type function/],
  [
    'a storage that does not say who shares it',
    { ...good, storage: { ...storage, coordination: undefined } },
    /^storage\.coordination is missing: .* betweenTabs/,
  ],
  ['a misspelt option', { ...good, retries: 3 }, /^retries is not an option; they are contract, url, /],
  ['a Web Storage for a storage', { ...good, storage: { getItem() {} } }, /^storage cannot be/],
];

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '60s', null])(
  '%s is no delay to resume after, and switches nothing off by accident',
  (ms) => {
    for (const make of [createIdempotentClient, idempotencyLink])
      for (const delays of [{ minDelayMs: ms }, { maxDelayMs: ms }]) {
        const made = () => make({ ...good, resumeByTime: delays as never });
        expect(made).toThrow(TypeError);
        expect(made).toThrow(
          `resumeByTime: its delays are whole milliseconds from 1 to 2147483647, not ${ms}`,
        );
      }
  },
);

test.each([true, 60_000, '60s', { minDelay: 5 }, { maxAttempts: 3 }])(
  '%j is no way to resume by time',
  (given) => {
    for (const make of [createIdempotentClient, idempotencyLink]) {
      const made = () => make({ ...good, resumeByTime: given as never });
      expect(made).toThrow(TypeError);
      expect(made).toThrow('resumeByTime is false, or { minDelayMs, maxDelayMs }: ');
    }
  },
);

test.each([undefined, false, {}, { minDelayMs: 1 }, { maxDelayMs: 2 ** 31 - 1 }] as const)(
  '%j says how to resume by time',
  (resumeByTime) => {
    for (const make of [createIdempotentClient, idempotencyLink])
      expect(() => make({ ...good, ...(resumeByTime !== undefined && { resumeByTime }) })).not.toThrow();
  },
);

test.each(wrong)('%s is said when the client is made, and what it takes', (_, options, says) => {
  for (const make of [createIdempotentClient, idempotencyLink]) {
    const made = () => make(options as never);
    expect(made).toThrow(TypeError);
    expect(made).toThrow(says);
  }
});

test.each([
  'https://shop.example/trpc',
  'http://localhost:3000',
  'HTTP://[::1]:3000/trpc?tenant=a:b',
  'capacitor://localhost/trpc',
  '/trpc',
  'trpc',
  './trpc?at=10:30',
  new URL('https://shop.example'),
])('%s is a url', (address) => {
  expect(() => createIdempotentClient({ ...good, url: address })).not.toThrow();
});

test('links are the options of a client, which has none of its own to stand among', () => {
  expect(() => createIdempotentClient({ ...good, links: [] })).not.toThrow();
  expect(() => idempotencyLink({ ...good, links: [] } as never)).toThrow(/^links is not an option/);
});

test('a manifest is a contract', () => {
  expect(() => createIdempotentClient({ ...good, contract: manifest(contract) })).not.toThrow();
});

test.each(['', 7, null, {}, Symbol.iterator])(
  'an intent of %s is refused before anything is sent: it would join calls that have nothing to do with each other',
  async (intent) => {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return new Response('{"result":{}}');
    };
    const client = createIdempotentClient({ ...good, fetch });
    await expect(client.pay.mutate(undefined, { intent: intent as string })).rejects.toMatchObject({
      name: 'NotSentError',
      reason: 'intent',
      path: 'pay',
    });
    expect(sent).toBe(0);
    expect(await client.outbox.list()).toEqual([]);
  },
);

const nobody = async () => new Response('{"result":{}}');

test.each(['', 7, null, {}])('a lane of %s is refused: its record could not be read again', async (lane) => {
  const client = createIdempotentClient({ ...good, fetch: nobody });
  await expect(client.pay.mutate(undefined, { lane: lane as string })).rejects.toMatchObject({
    name: 'NotSentError',
    reason: 'options',
  });
});

test('a list is no key, whatever its text', async () => {
  const client = createIdempotentClient({ ...good, fetch: nobody });
  await expect(client.pay.mutate(undefined, { key: ['k'] as never })).rejects.toMatchObject({
    name: 'NotSentError',
    reason: 'key',
  });
});

test.each([
  ['a promise', async () => 'ann'],
  ['object', () => ({ id: 'ann' })],
  ['boolean', () => false],
])(
  'an owner() that gives %s is told of, and nobody gets the operations of everybody',
  async (what, owner) => {
    const client = createIdempotentClient({ ...good, owner: owner as never, fetch: nobody });
    const error = await client.pay.mutate(undefined).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NotSentError', reason: 'options' });
    expect((error as Error).cause).toMatchObject({ message: expect.stringContaining(`gave ${what}`) });
    await expect(client.outbox.list()).rejects.toThrow(`gave ${what}`);
  },
);
