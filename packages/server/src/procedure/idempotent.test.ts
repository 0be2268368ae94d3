import { initTRPC, TRPCError } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryClaims } from '../claims/memory-claims.js';
import type { OnceEvent } from '../events/once-event.js';
import { type EmbeddedRecords, effect, embeddedRecords } from '../testing/embedded-records.js';
import { overHttp } from '../testing/over-http.js';
import { createOnce } from './create-once.js';
import type { OnceOptions } from './once-options.js';

// `once.idempotent({ t })` on a procedure that knows no contract.

interface Context {
  readonly user: string | null;
}

let db: EmbeddedRecords;
beforeAll(async () => {
  db = await embeddedRecords();
}, 60_000);
beforeEach(() => db.clear());
afterAll(() => db.close());

function open(options: Partial<OnceOptions<Context, any>> = {}) {
  const t = initTRPC.context<Context>().create({ transformer: superjson, isDev: false });
  const once = createOnce({
    records: db.records,
    scope: (ctx: Context) => ctx.user,
    ...options,
  });
  let runs = 0;
  const router = t.router({
    pay: t.procedure
      .input(z.object({ cents: z.number(), at: z.date().optional() }))
      .use(
        once.idempotent({
          t,
          retentionMs: 60_000,
          errors: {
            POOR: { code: 'CONFLICT', data: z.object({ cents: z.number() }), message: 'too little' },
          },
        }),
      )
      .output(z.object({ paidAt: z.date(), run: z.number(), key: z.string() }))
      .mutation(async ({ ctx, input }) => {
        runs++;
        await effect(ctx.tx, `${ctx.user} ${input.cents}`);
        if (input.cents > 100) throw ctx.errors.POOR({ cents: 100 });
        if (input.cents < 0) throw new TRPCError({ code: 'FORBIDDEN', message: 'negative' });
        if (input.cents === 42) throw new Error('a bug');
        return { paidAt: new Date(5), run: runs, key: ctx.idempotencyKey };
      }),
    nothing: t.procedure
      .use(once.idempotent({ t }))
      .mutation(async ({ ctx }) => void (await effect(ctx.tx, 'nothing'))),
  });
  const caller = (key: string, user: string | null = 'ann') =>
    router.createCaller(once.withKey({ user }, key));
  return { once, router, caller, call: overHttp(router, once), runs: () => runs };
}

test('a second call with the key gives the first one’s output, dates and all, and does not run', async () => {
  const { caller, runs } = open();
  const first = await caller('k1').pay({ cents: 5 });
  expect(first).toEqual({ paidAt: new Date(5), run: 1, key: 'k1' });
  expect(await caller('k1').pay({ cents: 5 })).toEqual(first);
  expect(runs()).toBe(1);
  expect(await db.effects()).toEqual(['ann 5']);
});

test('nothing in, nothing out', async () => {
  const { caller } = open();
  expect(await caller('k1').nothing()).toBeUndefined();
  expect(await caller('k1').nothing()).toBeUndefined();
  expect(await db.effects()).toEqual(['nothing']);
});

test('another key, another principal and another procedure are operations of their own, or refused', async () => {
  const { caller } = open();
  await caller('k1').pay({ cents: 1 });
  await caller('k2').pay({ cents: 1 });
  await caller('k1', 'bob').pay({ cents: 1 });
  await expect(caller('k1').nothing()).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    idempotency: { refusal: 'FINGERPRINT_MISMATCH', key: 'k1' },
  });
  expect(await db.effects()).toEqual(['ann 1', 'ann 1', 'bob 1']);
});

test('another input is refused, and a date that differs is another input', async () => {
  const { caller } = open();
  await caller('k1').pay({ cents: 1, at: new Date(1) });
  await expect(caller('k1').pay({ cents: 1, at: new Date(2) })).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
  });
});

test('a declared error settles without its writes, and replays with its data', async () => {
  const { caller, runs } = open();
  for (const settlement of ['settled', 'replayed'])
    await expect(caller('k1').pay({ cents: 500 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'too little',
      data: { declared: { name: 'POOR', data: { cents: 100 } } },
      idempotency: { settlement, key: 'k1' },
    });
  expect(runs()).toBe(1);
  expect(await db.effects()).toEqual([]);
});

test('a bug is released, as it was thrown, and runs again', async () => {
  const { caller, runs } = open();
  for (let n = 0; n < 2; n++) {
    await expect(caller('k1').pay({ cents: 42 })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'a bug',
      idempotency: { settlement: 'released', key: 'k1' },
    });
  }
  expect(runs()).toBe(2);
  expect(await db.effects()).toEqual([]);
});

test('a 4xx that nobody declared is an answer: it settles and does not run again', async () => {
  const { caller, runs } = open();
  for (const settlement of ['settled', 'replayed']) {
    await expect(caller('k1').pay({ cents: -1 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'negative',
      idempotency: { settlement, key: 'k1' },
    });
  }
  expect(runs()).toBe(1);
  expect(await db.effects()).toEqual([]);
});

test('where the app calls nothing final, a 4xx is released too', async () => {
  const { caller, runs } = open({ isFinal: () => false });
  for (let n = 0; n < 2; n++)
    await expect(caller('k1').pay({ cents: -1 })).rejects.toMatchObject({
      idempotency: { settlement: 'released', key: 'k1' },
    });
  expect(runs()).toBe(2);
  expect(await db.effects()).toEqual([]);
});

test('an error that the app calls final settles, and one whose judge fails is released', async () => {
  const { caller, runs } = open({
    isFinal(error) {
      if (error.message === 'a bug') throw new Error('no idea');
      return error.code === 'FORBIDDEN';
    },
  });
  for (const settlement of ['settled', 'replayed'])
    await expect(caller('k1').pay({ cents: -1 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      idempotency: { settlement },
    });
  expect(runs()).toBe(1);
  await expect(caller('k2').pay({ cents: 42 })).rejects.toMatchObject({
    idempotency: { settlement: 'released' },
  });
});

test('an input that the procedure refuses leaves no record, and the key stays usable', async () => {
  const { caller } = open();
  await expect(caller('k1').pay({ cents: 'much' as never })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(await caller('k1').pay({ cents: 1 })).toMatchObject({ run: 1 });
});

describe('a call that says too little about itself is refused before it runs', () => {
  test('a context without a key: the message says what to do', async () => {
    const { router } = open();
    await expect(router.createCaller({ user: 'ann' }).pay({ cents: 1 })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringContaining('once.withKey(ctx, key)'),
    });
  });

  test.each(['', 'a,b', 'ü', 'x'.repeat(256), ' a'])('withKey refuses what is no key: %j', (key) => {
    const { once } = open();
    expect(() => once.withKey({}, key)).toThrow(TypeError);
  });

  test.each([[null], [''], [[]]])('nobody is signed in: %j', async (user) => {
    const { caller } = open();
    await expect(caller('k1', user as never).pay({ cents: 1 })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      idempotency: { refusal: 'SCOPE_MISSING', key: 'k1' },
    });
  });

  test('a scope that is no principal is a fault of the app, and tells nobody what it was', async () => {
    const { caller } = open({ scope: () => ({ user: 'ann' }) as never });
    await expect(caller('k1').pay({ cents: 1 })).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(await db.effects()).toEqual([]);
  });

  test('over HTTP: no key, a malformed one, and one for a whole batch', async () => {
    const { call } = open();
    const input = { json: { cents: 1 } };
    for (const [options, refusal] of [
      [{}, 'KEY_MISSING'],
      [{ key: 'a,b' }, 'KEY_MALFORMED'],
      [{ key: 'k1', headers: { 'idempotency-key-age': 'old' } }, 'KEY_MALFORMED'],
    ] as const) {
      const answer = await call('pay', input, options);
      expect(answer.status).toBe(400);
      expect(answer.body.error.json.data.idempotency.refusal).toBe(refusal);
    }
    const batch = await call('pay,nothing?batch=1', { 0: input }, { key: 'k1' });
    for (const { error } of batch.body) expect(error.json.data.idempotency.refusal).toBe('KEY_SHARED');
    expect(await db.effects()).toEqual([]);
  });
});

test('an operation that may have been sent first longer ago than outcomes are kept is refused, to the second', async () => {
  const { call } = open();
  const aged = (key: string, seconds: number) =>
    call('pay', { json: { cents: 1 } }, { key, headers: { 'idempotency-key-age': String(seconds) } });
  expect((await aged('k1', 59)).status).toBe(200);
  // 60 stands for anything from 60 to 61 seconds, and a record is kept for 60.
  const late = await aged('k2', 60);
  expect(late.status).toBe(412);
  expect(late.body.error.json.data.idempotency).toEqual({ refusal: 'KEY_EXPIRED', key: 'k2' });
  expect(await db.effects()).toEqual(['ann 1']);
});

test('over HTTP a replay is the same bytes, with the headers that say so', async () => {
  const { call } = open();
  const first = await call('pay', { json: { cents: 1 } }, { key: 'k1' });
  const second = await call('pay', { json: { cents: 1 } }, { key: '"k1"' });
  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(first.headers.get('idempotency-status')).toBe('settled');
  expect(second.headers.get('idempotency-status')).toBe('replayed');
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('a form cannot be told from another one, so it is refused', async () => {
  const { once, router } = open();
  const form = new FormData();
  form.set('cents', '1');
  const { fetchRequestHandler } = await import('@trpc/server/adapters/fetch');
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    router,
    req: new Request('http://shop.example/trpc/nothing', {
      method: 'POST',
      body: form,
      headers: { 'idempotency-key': 'k1' },
    }),
    createContext: once.context(() => ({ user: 'ann' })),
  });
  expect(response.status).toBe(415);
  expect(await db.effects()).toEqual([]);
});

test('errors never show a stack, whatever the environment is called', async () => {
  const { call } = open();
  const answer = await call('pay', { json: { cents: 42 } }, { key: 'k1' });
  expect(answer.body.error.json.data).not.toHaveProperty('stack');
});

describe('what the types of a middleware cannot say is said at the first call, before anything runs', () => {
  function misplaced(options: Partial<OnceOptions<Context, any>> = {}) {
    const t = initTRPC.context<Context>().create({ isDev: false });
    const events: OnceEvent[] = [];
    const once = createOnce({
      records: db.records,
      scope: (ctx: Context) => ctx.user,
      onEvent: (event) => events.push(event),
      ...options,
    });
    const router = t.router({
      late: t.procedure
        .output(z.string())
        .use(once.idempotent({ t }))
        .mutation(async ({ ctx }) => {
          await effect(ctx.tx, 'late');
          return 1 as never;
        }),
      asked: t.procedure.use(once.idempotent({ t })).query(() => 'x'),
      twice: t.procedure
        .use(once.idempotent({ t }))
        .use(once.idempotent({ t }))
        .mutation(async ({ ctx }) => effect(ctx.tx, 'twice')),
    });
    return { t, once, router, events, call: overHttp(router, once) };
  }

  test('the operator is told too, once for each procedure', async () => {
    const { call, events } = misplaced();
    for (const path of ['twice', 'late', 'twice', 'late']) await call(path, undefined, { key: 'k1' });
    expect(events).toEqual([
      { type: 'miswired', what: 'place', message: expect.stringContaining('twice: ') },
      { type: 'miswired', what: 'place', message: expect.stringContaining('late: ') },
    ]);
  });

  test('twice on one procedure it would wait for itself', async () => {
    const answer = await misplaced().call('twice', undefined, { key: 'k1' });
    expect(answer.status).toBe(500);
    expect(answer.body.error.message).toContain('use it once');
    expect(await db.effects()).toEqual([]);
  });

  test.each([
    ['a caller on the server', undefined],
    [
      'a caller, with claims, where every error is an outcome',
      { claims: memoryClaims(), isFinal: () => true },
    ],
  ])('nor is it for %s, who keeps nothing of it and can use the key', async (_, options) => {
    const { router, once, events, t } = misplaced(options);
    const { twice } = router.createCaller(once.withKey({ user: 'ann' }, 'k1'));
    for (let n = 0; n < 2; n++) {
      const error = await twice().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', idempotency: { settlement: 'released' } });
      expect(String(error)).toContain('twice: once.idempotent({ t }) stands on it twice');
    }
    expect(events.filter(({ type }) => type === 'miswired')).toEqual([
      { type: 'miswired', what: 'place', message: expect.stringContaining('use it once') },
    ]);
    expect(await db.effects()).toEqual([]);
    const mended = t.router({
      twice: t.procedure.use(once.idempotent({ t })).mutation(async ({ ctx }) => effect(ctx.tx, 'once')),
    });
    await mended.createCaller(once.withKey({ user: 'ann' }, 'k1')).twice();
    expect(await db.effects()).toEqual(['once']);
  });

  test('a base that is idempotent already is told when it is given to implement()', () => {
    const { once, events, t } = misplaced();
    const contract = defineContract({ pay: procedure.idempotent().mutation() });
    const base = t.procedure.use(once.idempotent({ t }));
    expect(() => once.implement(contract, { procedure: base }, { pay: () => {} })).toThrow(
      'give it your base without it',
    );
    expect(events).toEqual([
      { type: 'miswired', what: 'place', message: expect.stringContaining('give it your base without it') },
    ]);
  });

  test('behind .output() an output would be refused only after the commit', async () => {
    const answer = await misplaced().call('late', undefined, { key: 'k1' });
    expect(answer.status).toBe(500);
    expect(answer.body.error.message).toContain('before .output()');
    expect(await db.effects()).toEqual([]);
  });

  test('a query has no effect to protect', async () => {
    const { once, router } = misplaced();
    const caller = router.createCaller(once.withKey({ user: 'ann' }, 'k1'));
    await expect(caller.asked()).rejects.toThrow('only a mutation can be idempotent');
  });

  test('without `t` it does not begin', () => {
    const { once } = misplaced();
    expect(() => once.idempotent(undefined as never)).toThrow();
    expect(() => once.idempotent({} as never)).toThrow('what initTRPC.create() gave');
  });
});

test('the app’s own error formatter is what errors go through', async () => {
  const t = initTRPC.context<Context>().create({
    isDev: false,
    errorFormatter: ({ shape }) => ({ ...shape, message: 'hidden' }),
  });
  const once = createOnce({ records: db.records, scope: (ctx: Context) => ctx.user });
  const router = t.router({
    leak: t.procedure.use(once.idempotent({ t })).mutation(() => {
      throw new Error('SECRET sql');
    }),
  });
  const answer = await overHttp(router, once)('leak', undefined, { key: 'k1' });
  expect(answer.body.error.message).toBe('hidden');
  expect(answer.body.error.data.idempotency).toMatchObject({ settlement: 'released' });
});

test('a call inside another’s handler says that it would wait for itself, and what to do; nothing of either is kept', async () => {
  const t = initTRPC.context<Context>().create({ isDev: false });
  const once = createOnce({ records: db.records, scope: (ctx: Context) => ctx.user });
  const inner = t.router({
    pay: t.procedure.use(once.idempotent({ t })).mutation(({ ctx }) => effect(ctx.tx as never, 'inner')),
  });
  const router = t.router({
    order: t.procedure.use(once.idempotent({ t })).mutation(async ({ ctx }) => {
      await effect(ctx.tx as never, 'outer');
      await inner.createCaller(once.withKey({ user: 'ann' }, 'k2')).pay();
    }),
  });
  const order = () => router.createCaller(once.withKey({ user: 'ann' }, 'k1')).order();
  await expect(order()).rejects.toThrow('it would wait for itself: share a function that takes tx');
  expect(await db.effects()).toEqual([]);
  // By itself it is as good as any.
  await inner.createCaller(once.withKey({ user: 'ann' }, 'k2')).pay();
  expect(await db.effects()).toEqual(['inner']);
});

test.each([
  ['runTimeoutMs', [0, -1, Number.NaN, '5000', null]],
  ['closeTimeoutMs', [-1, Number.NaN, '1']],
  ['claimTimeoutMs', [0, Number.POSITIVE_INFINITY]],
])('createOnce({ %s }) is refused at the start where it is none', (name, wrong) => {
  const make = (value: unknown) => () =>
    createOnce({ records: db.records, scope: () => 'ann', [name]: value } as never);
  for (const value of wrong) expect(make(value)).toThrow(`createOnce({ ${name} }) must be from`);
  expect(make(500)).not.toThrow();
});

test('what is no part of createOnce is refused at the start', () => {
  const scope = (): string => 'ann';
  expect(() => createOnce({ records: db.records } as never)).toThrow('scope');
  expect(() => createOnce({ scope, records: {} as never })).toThrow('postgresRecords(pool)');
  expect(() => createOnce({ scope, records: db.records, claims: {} as never })).toThrow('redisClaims(redis)');
});
