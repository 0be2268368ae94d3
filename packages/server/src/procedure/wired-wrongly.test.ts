import { initTRPC } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { OnceEvent } from '../events/once-event.js';
import { type EmbeddedRecords, embeddedRecords } from '../testing/embedded-records.js';
import { overHttp } from '../testing/over-http.js';
import { createOnce } from './create-once.js';
import type { OnceOptions } from './once-options.js';

// What a team meets on its first day, and which line it has to write.

let db: EmbeddedRecords;
beforeAll(async () => {
  db = await embeddedRecords();
}, 60_000);
afterAll(() => db.close());

const shop = defineContract({ pay: procedure.input(z.number()).output(z.number()).idempotent().mutation() });

function open(options: Partial<OnceOptions<any, any>> = {}) {
  const events: OnceEvent[] = [];
  const t = initTRPC.context<{ user: string }>().create({ isDev: false });
  const once = createOnce({
    records: db.records,
    scope: (ctx: { user: string }) => ctx.user,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const handlers = { pay: async ({ input }: { input: number }) => input };
  const router = once.implement(shop, { procedure: t.procedure }, handlers);
  const miswired = () => events.filter((event) => event.type === 'miswired');
  return { t, once, router, events, miswired, call: overHttp(router, once) };
}

test('contexts without a key are told once, with the line to write, however many calls they fail', async () => {
  const { once, router, miswired } = open();
  const call = overHttp(router, { ...once, context: ((make: () => object) => make) as never });
  for (let n = 0; n < 3; n++) {
    const answer = await call('pay', 5, { key: `k${n}` });
    expect(answer.status).toBe(500);
  }
  expect(miswired()).toEqual([
    {
      type: 'miswired',
      what: 'context',
      message: expect.stringContaining('createContext: once.context(createContext)'),
    },
  ]);
});

test('once.context(…) called by a createContext, and not given as one, is told apart', async () => {
  const { once, router, miswired } = open();
  const call = overHttp(router, { ...once, context: ((make: never) => () => once.context(make)) as never });
  expect((await call('pay', 5, { key: 'k' })).status).toBe(500);
  expect(miswired()).toMatchObject([{ message: expect.stringContaining('the context is a function') }]);
});

test('once.context takes a function, and one that returns an object', async () => {
  const { once, miswired } = open();
  // So does an adapter that was given once.context itself.
  expect(() => once.context({ req: {} } as never)).toThrow('takes the function that makes a context');
  expect(miswired()).toMatchObject([{ what: 'context' }]);
  for (const nothing of [undefined, null, 'ann'])
    await expect(once.context((() => nothing) as never)({})).rejects.toThrow('must return an object');
});

test('a scope that is no principal is told, and tells nobody what it was', async () => {
  const { call, miswired } = open({ scope: () => ({ id: 'hunter2' }) as never });
  for (let n = 0; n < 2; n++) expect((await call('pay', 5, { key: `s${n}` })).status).toBe(500);
  expect(miswired()).toMatchObject([{ what: 'scope', message: expect.stringContaining('scope() must') }]);
  expect(JSON.stringify(miswired())).not.toContain('hunter2');
});

test('who is wired rightly is told nothing', async () => {
  const { call, router, once, miswired } = open();
  expect((await call('pay', 5, { key: 'right' })).status).toBe(200);
  expect(await router.createCaller(once.withKey({ user: 'ann' }, 'caller')).pay(5)).toBe(5);
  expect(miswired()).toEqual([]);
});

test.each([
  ['"a", "b"', 'a comma, as HTTP joins a header that was sent twice'],
  ['"a', 'no quote ends it'],
  ['x'.repeat(256), 'it has 256 characters, and 255 is the most'],
])('a malformed key is answered with what is wrong with it: %s', async (key, why) => {
  const { message, data } = (await open().call('pay', 5, { key })).body.error;
  expect(data.idempotency).toEqual({ refusal: 'KEY_MALFORMED' });
  expect(message).toContain(why);
});

test('an age that is none is not taken for the key’s fault', async () => {
  const headers = { 'idempotency-key-age': 'soon' };
  const { error } = (await open().call('pay', 5, { key: 'k1', headers })).body;
  expect(error.message).toContain('Idempotency-Key-Age is no number of whole seconds');
});

test.each([[undefined], ['k1']])('over a WebSocket it says where such calls belong (key %s)', async (key) => {
  const headers = { upgrade: 'websocket' };
  const { error } = (await open().call('pay', 5, { ...(key && { key }), headers })).body;
  expect(error.message).toContain('send idempotent calls over HTTP');
});

test('implement() says which of its arguments is missing', () => {
  const { once, t } = open();
  const { implement } = once as { implement: (...args: unknown[]) => unknown };
  const base = { procedure: t.procedure };
  expect(() => implement(undefined, base, {})).toThrow('what defineContract() gave, as its first');
  expect(() => implement({ pay: procedure.mutation() }, base, {})).toThrow('what defineContract() gave');
  expect(() => implement(shop, undefined, {})).toThrow('such as t.procedure, in its second');
  expect(() => implement(shop, t.procedure, {})).toThrow('such as t.procedure, in its second');
  for (const nothing of [undefined, null, () => {}])
    expect(() => implement(shop, base, nothing)).toThrow('needs the handlers, as its third');
  expect(() => implement(shop, base, { pays: () => 1 })).toThrow(
    'no handler for pay; the contract has no pays (did you mean pay?)',
  );
});

test('a handler’s bug is told with its call and its cause, and an outcome is not', async () => {
  const { once, t, events } = open();
  const bug = new TypeError("Cannot read properties of undefined (reading 'id')");
  const router = once.implement(
    shop,
    { procedure: t.procedure },
    {
      pay: () => {
        throw bug;
      },
    },
  );
  const answer = await overHttp(router, once)('pay', 5, { key: 'bug' });
  expect(answer.body.error.data.idempotency.settlement).toBe('released');
  expect(events.filter(({ type }) => type === 'handler-failed')).toEqual([
    {
      type: 'handler-failed',
      call: { procedure: 'pay', key: 'bug' },
      error: expect.objectContaining({ cause: bug }),
    },
  ]);
});
