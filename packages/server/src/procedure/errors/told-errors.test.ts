import { initTRPC, TRPCError } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryClaims } from '../../claims/memory-claims.js';
import { type EmbeddedRecords, effect, embeddedRecords } from '../../testing/embedded-records.js';
import { overHttp } from '../../testing/over-http.js';
import { createOnce } from '../create-once.js';

// What an error's `data` says of idempotency is about this call, and never about another one.

interface Context {
  readonly user: string;
}

const contract = defineContract({
  inner: procedure
    .input(z.string())
    .errors({ SOLD_OUT: { code: 'CONFLICT', data: z.object({ left: z.number() }) } })
    .idempotent()
    .mutation(),
  outer: procedure
    .input(z.string())
    .errors({ SOLD_OUT: { code: 'CONFLICT', data: z.object({ left: z.number() }) } })
    .idempotent()
    .mutation(),
  plain: procedure.input(z.string()).mutation(),
  plainDeclared: procedure
    .errors({ BAD: { code: 'BAD_REQUEST', data: z.object({ n: z.coerce.number() }) } })
    .mutation(),
});

/** One error object that the app throws again and again. */
const frozen = new TRPCError({ code: 'FORBIDDEN', message: 'the account is frozen' });

let db: EmbeddedRecords;
beforeAll(async () => {
  db = await embeddedRecords();
}, 60_000);
beforeEach(() => db.clear());
afterAll(() => db.close());

function open() {
  const t = initTRPC.context<Context>().create({ isDev: false });
  const once = createOnce({
    records: db.records,
    // Released, so that it is told with the very error object that was thrown.
    isFinal: () => false,
    claims: memoryClaims(),
    scope: (ctx: Context) => ctx.user,
  });
  let before: () => unknown = () => {};
  let after: () => unknown = () => {};
  const base = t.procedure.use(async ({ next }) => {
    await before();
    const result = await next();
    await after();
    return result;
  });
  /** Calls `inner` as a service of its own would be called, with a key of its own. */
  const callInner = (how: string, key = `inner-${how}`): Promise<unknown> =>
    router.createCaller(once.withKey({ user: 'system' }, key)).inner(how);
  const router = once.implement(
    contract,
    { procedure: base },
    {
      async inner({ input, tx, errors }) {
        if (input === 'sold out') throw errors.SOLD_OUT({ left: 0 });
        if (input === 'frozen') throw frozen;
        await effect(tx, 'inner');
      },
      async outer({ input, tx }) {
        if (input === 'frozen') throw frozen;
        await effect(tx, 'outer');
      },
      async plain({ input }) {
        await callInner(input);
      },
      plainDeclared({ errors }) {
        throw errors.BAD({ n: '5' as never });
      },
    },
  );
  return {
    call: overHttp(router, once),
    callInner,
    before(run: () => unknown) {
      before = run;
    },
    after(run: () => unknown) {
      after = run;
    },
  };
}

/** Lets a middleware of the app call `inner` for a request to `outer`, and for nothing else. */
function onlyFor(first: () => unknown): () => unknown {
  let done = false;
  return () => {
    if (done) return undefined;
    done = true;
    return first();
  };
}

describe('a call that the app’s own middleware makes before the claim', () => {
  test('and that fails with an outcome of its own, is not told as the outcome of this one', async () => {
    const { call, callInner, before } = open();
    before(onlyFor(() => callInner('sold out')));
    const answer = await call('outer', 'x', { key: 'k1' });
    expect(answer.status).toBe(409);
    expect(answer.body.error.data).toMatchObject({ path: 'outer' });
    expect(answer.body.error.data).not.toHaveProperty('declared');
    expect(answer.body.error.data).not.toHaveProperty('idempotency');
    expect(answer.headers.get('idempotency-status')).toBeNull();
    expect(await db.effects()).toEqual([]);
  });

  test('and that is refused, is not told as the refusal of this one', async () => {
    const { call, callInner, before } = open();
    before(
      onlyFor(async () => {
        await callInner('x', 'inner-key');
        await callInner('y', 'inner-key');
      }),
    );
    const answer = await call('outer', 'x', { key: 'k1' });
    expect(answer.status).toBe(422);
    expect(answer.body.error.data).not.toHaveProperty('idempotency');
  });
});

test('a plain mutation that passes on an idempotent one’s error says nothing of idempotency', async () => {
  const { call } = open();
  const answer = await call('plain', 'sold out');
  expect(answer.status).toBe(409);
  expect(answer.body.error.message).toBe('SOLD_OUT');
  expect(answer.body.error.data).toMatchObject({ code: 'CONFLICT', path: 'plain' });
  expect(answer.body.error.data).not.toHaveProperty('idempotency');
  expect(answer.body.error.data).not.toHaveProperty('declared');
  expect(answer.headers.get('idempotency-status')).toBeNull();
});

test('one error object thrown by every call is told to each with its own key', async () => {
  const { call } = open();
  for (const key of ['k1', 'k2', 'k3']) {
    const answer = await call('outer', 'frozen', { key });
    expect(answer.status).toBe(403);
    expect(answer.body.error.message).toBe('the account is frozen');
    expect(answer.body.error.data.idempotency).toEqual({ key, settlement: 'released' });
  }
  const atOnce = ['k4', 'k5', 'k6', 'k7'];
  const answers = await Promise.all(atOnce.map((key) => call('outer', 'frozen', { key })));
  expect(answers.map(({ body }) => body.error.data.idempotency.key)).toEqual(atOnce);
});

describe('a middleware of the app that fails after the operation has settled', () => {
  test('is not told as released: the same key is to be asked again, and gets the outcome', async () => {
    const { call, after } = open();
    after(
      onlyFor(() => {
        throw new TRPCError({ code: 'FORBIDDEN', message: 'the audit log is full' });
      }),
    );
    const answer = await call('outer', 'x', { key: 'k1' });
    expect(answer.status).toBe(403);
    expect(answer.body.error.data.idempotency).toMatchObject({ key: 'k1', settlement: 'unknown' });
    expect(answer.headers.get('idempotency-status')).toBeNull();
    const again = await call('outer', 'x', { key: 'k1' });
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await db.effects()).toEqual(['outer']);
  });
});

test('what a plain procedure declares is validated as well, and told as the contract says', async () => {
  const { call } = open();
  const answer = await call('plainDeclared');
  expect(answer.body.error.data.declared).toEqual({ name: 'BAD', data: { n: 5 } });
});
