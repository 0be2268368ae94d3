import { once as event } from 'node:events';
import type { AddressInfo } from 'node:net';
import { initTRPC, TRPCError } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { defineContract, isDeclaredError, procedure, readIdempotency } from '@trpc-once/contract';
import { createOnce, memoryClaims } from '@trpc-once/server';
import { type EnvironmentStores, storesFromEnv } from '@trpc-once/server/embedded';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Disposal } from '../bank/disposal.js';

// tRPC tells the first shape that an error gets. That of a formatter in the app's base, nearer to the handler than ours, went
// out as it was: a bare 409 for IN_PROGRESS, which a client takes for the outcome.

interface Context {
  readonly user: string | null;
}

const errors = { POOR: { code: 'CONFLICT', data: z.object({ cents: z.number() }) } } as const;
const bank = defineContract({
  pay: procedure.input(z.string()).errors(errors).idempotent({ retentionMs: 60_000 }).mutation(),
  look: procedure.input(z.string()).errors(errors).query(),
});

const t = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter: ({ shape }) => ({ ...shape, data: { ...shape.data, root: true } }),
});
const passing = t.middleware(({ next }) => next({ ctx: { passed: true } }));
const why = (error: Error) => ({ cause: String(error.cause), isError: error instanceof TRPCError });
const adding = t.procedure.errors(({ shape, error }) => ({
  ...shape,
  data: { ...shape.data, own: why(error) },
}));
const replacing = t.procedure.errors(({ error }) => ({
  code: -32_603,
  message: 'sorry',
  data: { own: why(error) },
}));

/** Of a call that a handler made elsewhere in the app: it has the shape that it was told there in. */
const inner = t.router({
  inner: adding.mutation(() => {
    throw new TRPCError({ code: 'UNPROCESSABLE_CONTENT', message: 'of another call' });
  }),
});
let shaped: unknown;

/** The bases of apps, each with a formatter that has a shape for everything. */
const bases = {
  'before a middleware': adding.use(passing),
  'behind a middleware': t.procedure.use(passing).errors(({ shape, error, ctx }) => ({
    ...shape,
    data: { ...shape.data, own: { ...why(error), ...(ctx.passed && {}) } },
  })),
  'of several': replacing.use(passing).concat(adding),
  'behind one that passes': adding.errors(() => undefined).use(passing),
  'that replaces the shape': replacing.use(passing),
};

let stores: EnvironmentStores;
beforeAll(async () => {
  stores = await storesFromEnv({});
  shaped = await inner
    .createCaller({ user: 'ann' })
    .inner()
    .catch((error: unknown) => error);
});
afterAll(() => stores.close());

async function open(base: typeof t.procedure | (typeof bases)[keyof typeof bases]) {
  const stack = new Disposal();
  let isDown = false;
  const records = new Proxy(stores.records, {
    get(target, name) {
      if (isDown && name === 'transact') return () => Promise.reject(new Error('gone'));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const once = createOnce({
    records,
    claims: memoryClaims(),
    scope: (ctx: Context) => ctx.user,
    onEvent: () => {},
  });
  stack.defer(() => once.close());
  await once.migrate();
  let open = () => {};
  let running = new Promise<void>(() => {});
  let entered = () => {};
  stack.defer(() => open());
  const run = async (input: string, declared: { POOR(data: { cents: number }): Error }): Promise<string> => {
    if (input === 'poor')
      throw Object.assign(declared.POOR({ cents: 5 }), { cause: new Error('the bank said 4111') });
    if (input === 'final')
      throw new TRPCError({ code: 'FORBIDDEN', message: 'no', cause: new Error('4111') });
    if (input === 'passed on') throw shaped;
    if (input === 'bug') throw new TypeError('a bug');
    if (input === 'held') {
      entered();
      await running;
    }
    return input;
  };
  const router = t.router({
    bank: once.implement(
      bank,
      { procedure: base },
      {
        pay: ({ input, errors }) => run(input, errors) as never,
        look: ({ input, errors }) => run(input, errors) as never,
      },
    ),
    pay: base
      .input(z.string())
      .use(once.idempotent({ t, errors, retentionMs: 60_000 }))
      .mutation(({ input, ctx }) => run(input, ctx.errors)),
    behind: t.procedure
      .input(z.string())
      .use(once.idempotent({ t, errors, retentionMs: 60_000 }))
      .errors(({ shape }) => ({ ...shape, data: { ...shape.data, own: 1 } }))
      .mutation(({ input, ctx }) => run(input, ctx.errors)),
  });
  const server = createHTTPServer({
    router,
    createContext: once.context(({ req }) => ({ user: req.headers['x-user'] === 'nobody' ? null : 'ann' })),
    responseMeta: once.responseMeta,
  }).listen(0, '127.0.0.1');
  await event(server, 'listening');
  stack.defer(() => server.close());
  stack.defer(() => server.closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (
    path: string,
    key: string | undefined,
    input: string,
    more: Record<string, string> = {},
  ) => {
    const headers = {
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': `"${key}"` }),
      ...more,
    };
    const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(input) });
    const text = await response.text();
    return { status: response.status, text, error: JSON.parse(text).error, headers: response.headers };
  };
  return {
    stack,
    url,
    ask,
    caller: (key: string) => router.createCaller(once.withKey<Context>({ user: 'ann' }, key)),
    down(is: boolean) {
      isDown = is;
    },
    hold() {
      const inside = new Promise<void>((resolve) => {
        entered = resolve;
      });
      running = new Promise((resolve) => {
        open = resolve;
      });
      return { inside, go: () => open() };
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

let keys = 0;
const newKey = () => `own-formatter-${++keys}`;

describe.each(Object.entries(bases))('a formatter %s', (name, base) => {
  test.each(['bank.pay', 'pay'])(
    'leaves every answer of %s its facts, and has its own fields in it',
    async (path) => {
      await using app = await open(base);
      const own = { cause: 'undefined', isError: true };
      const told = (idempotency: object) => ({
        data: { own, idempotency: expect.objectContaining(idempotency) },
      });

      for (const [input, status, declared] of [
        ['poor', 409, { name: 'POOR', data: { cents: 5 } }],
        ['final', 403, undefined],
      ] as const) {
        const key = newKey();
        const first = await app.ask(path, key, input);
        expect(first.status).toBe(status);
        expect(first.error).toMatchObject(told({ settlement: 'settled', key }));
        expect(first.error.data.declared).toEqual(declared);
        if (name === 'that replaces the shape') expect(first.error).toMatchObject({ message: 'sorry' });
        const again = await app.ask(path, key, input);
        expect(again.text).toBe(first.text.replace('"settled"', '"replayed"'));
        const mismatch = await app.ask(path, key, 'another');
        expect(mismatch.status).toBe(422);
        expect(mismatch.error).toMatchObject(told({ refusal: 'FINGERPRINT_MISMATCH', key }));
      }

      const { inside, go } = app.hold();
      const key = newKey();
      const holder = app.ask(path, key, 'held');
      await inside;
      const second = await app.ask(path, key, 'held');
      go();
      expect(second.status).toBe(409);
      expect(second.error).toMatchObject({
        data: { own: { isError: true }, idempotency: { refusal: 'IN_PROGRESS', key } },
      });
      expect((await holder).status).toBe(200);

      app.down(true);
      const down = await app.ask(path, newKey(), 'x');
      app.down(false);
      expect(down.status).toBe(503);
      expect(down.error.data).toMatchObject({
        own: { isError: true },
        idempotency: { refusal: 'STORE_UNAVAILABLE' },
      });

      expect((await app.ask(path, newKey(), 'bug')).error.data.idempotency).toMatchObject({
        settlement: 'released',
      });
      const refused: [string, Promise<any>][] = [
        ['KEY_MISSING', app.ask(path, undefined, 'x')],
        ['KEY_MALFORMED', app.ask(path, 'a, b', 'x')],
        ['KEY_EXPIRED', app.ask(path, newKey(), 'x', { 'idempotency-key-age': '61' })],
        ['SCOPE_MISSING', app.ask(path, newKey(), 'x', { 'x-user': 'nobody' })],
      ];
      for (const [refusal, answer] of refused)
        expect((await answer).error.data).toMatchObject({ idempotency: { refusal } });
    },
  );

  test('is told of by a declared error of a plain query', async () => {
    await using app = await open(base);
    const declared = { name: 'POOR', data: { cents: 5 } };
    const looked: any = await (await fetch(`${app.url}/bank.look?input="poor"`)).json();
    expect(looked.error.data).toMatchObject({ own: { isError: true }, declared });
  });

  test('hides nothing from the client, nor from a caller on the server', async () => {
    await using app = await open(base);
    const client = createIdempotentClient({
      contract: defineContract({ bank: { pay: bank.pay } }),
      url: app.url,
      owner: () => 'ann',
      storage: memoryStorage(),
    });
    const { inside, go } = app.hold();
    const held = client.bank.pay.mutate('held');
    await inside;
    const key = await held.key();
    const first = await app.ask('bank.pay', key, 'held');
    expect(first.error.data.idempotency.refusal).toBe('IN_PROGRESS');
    go();
    expect(await held).toBe('held');
    const failed = await client.bank.pay.mutate('poor').catch((error: unknown) => error);
    expect(isDeclaredError(failed, bank.pay, 'POOR')).toBe(true);
    expect(readIdempotency(failed)?.settlement).toBe('settled');
    await client.outbox.close();

    const called = await app
      .caller(newKey())
      .bank.pay('poor')
      .catch((error: unknown) => error);
    expect(isDeclaredError(called, bank.pay, 'POOR')).toBe(true);
    expect(called).toMatchObject({ idempotency: { settlement: 'settled' } });
  });
});

test('behind once.idempotent it hears of no outcome, so that the first answer is the replay, and of what was released the facts are there', async () => {
  await using app = await open(bases['before a middleware']);
  const key = newKey();
  const first = await app.ask('behind', key, 'poor');
  expect(first.error.data).toMatchObject({
    declared: { name: 'POOR' },
    idempotency: { settlement: 'settled' },
  });
  expect((await app.ask('behind', key, 'poor')).text).toBe(first.text.replace('"settled"', '"replayed"'));
  const bug = await app.ask('behind', newKey(), 'bug');
  expect(bug.error.data.idempotency).toMatchObject({ settlement: 'released' });
});

test('an error that got a shape in another call, and is passed on, is told with this call’s facts', async () => {
  await using app = await open(t.procedure);
  for (const path of ['bank.pay', 'pay']) {
    const key = newKey();
    const first = await app.ask(path, key, 'passed on');
    expect(first.error.data).toMatchObject({ path, idempotency: { settlement: 'settled', key } });
    expect((await app.ask(path, key, 'passed on')).text).toBe(first.text.replace('"settled"', '"replayed"'));
  }
});

describe('a middleware of the app that makes another error of the answer', () => {
  const mapping = (withCause: boolean) =>
    t.procedure.use(async ({ next }) => {
      const result = await next();
      if (result.ok) return result;
      const { error: cause } = result;
      throw new TRPCError({ code: 'BAD_REQUEST', message: 'sorry', ...(withCause && { cause }) });
    });

  test.each(['bank.pay', 'pay'])(
    'and says so by its cause, tells at %s what the answer was',
    async (path) => {
      await using app = await open(mapping(true));
      const key = newKey();
      const first = await app.ask(path, key, 'poor');
      expect(first.error).toMatchObject({
        message: 'sorry',
        data: { idempotency: { settlement: 'settled', key } },
      });
      expect(first.headers.get('idempotency-status')).toBe('settled');
      const mismatch = await app.ask(path, key, 'another');
      expect(mismatch.error.data.idempotency).toMatchObject({ refusal: 'FINGERPRINT_MISMATCH', key });
      const { inside, go } = app.hold();
      const held = newKey();
      const holder = app.ask(path, held, 'held');
      await inside;
      const second = await app.ask(path, held, 'held');
      go();
      await holder;
      expect(second.status).toBe(400);
      expect(second.error.data.idempotency).toMatchObject({ refusal: 'IN_PROGRESS' });
      expect(second.headers.get('retry-after')).not.toBeNull();
    },
  );

  test.each(['bank.pay', 'pay'])(
    'and does not say so, tells at %s that the outcome is to be asked for',
    async (path) => {
      await using app = await open(mapping(false));
      const key = newKey();
      for (let n = 0; n < 2; n++) {
        const { error, headers } = await app.ask(path, key, 'poor');
        expect(error).toMatchObject({
          message: 'sorry',
          data: { idempotency: { settlement: 'unknown', key } },
        });
        expect(headers.get('idempotency-status')).toBeNull();
      }
    },
  );
});

test.each(['bank.pay', 'pay'])('a formatter that throws makes no outcome of its own at %s', async (path) => {
  const throwing = t.procedure.errors(() => {
    throw new TRPCError({ code: 'CONFLICT', message: 'of the formatter' });
  });
  await using app = await open(throwing as never);
  const key = newKey();
  for (let n = 0; n < 2; n++) {
    const { error } = await app.ask(path, key, 'poor');
    expect(error).toMatchObject({
      message: 'of the formatter',
      data: { idempotency: { settlement: 'unknown', key } },
    });
  }
});
