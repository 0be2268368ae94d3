import { initTRPC, TRPCError } from '@trpc/server';
import { defineContract, procedure } from '@trpc-once/contract';
import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryClaims } from '../../claims/memory-claims.js';
import type { OnceEvent } from '../../events/once-event.js';
import { type EmbeddedRecords, embeddedRecords } from '../../testing/embedded-records.js';
import { overHttp } from '../../testing/over-http.js';
import { createOnce } from '../create-once.js';

// The app's `onError`, its loggers and Sentry find what a handler threw; nobody else does.

interface Context {
  readonly user: string;
}

const errors = { POOR: { code: 'CONFLICT', data: z.object({ cents: z.number() }) } } as const;
const shop = defineContract(
  { pay: procedure.input(z.string()).errors(errors).idempotent().mutation() },
  { transformer: superjson },
);

const SECRET = 'the bank said 4111 1111';
const bank = () => new Error(SECRET, { cause: new RangeError(`${SECRET}, for cents -1`) });

let db: EmbeddedRecords;
beforeAll(async () => {
  db = await embeddedRecords();
}, 60_000);
beforeEach(() => db.clear());
afterAll(() => db.close());

/** What a call may fail with for good. */
const failures: Record<string, (declared: (data: { cents: number }) => Error) => Error> = {
  'a declared error': (poor) => poor({ cents: 5 }),
  'a TRPCError of the 4xx kind': () => new TRPCError({ code: 'BAD_REQUEST', message: 'no', cause: bank() }),
  'what isFinal calls so': () => bank(),
};

function open({ isDev = false } = {}) {
  const events: OnceEvent[] = [];
  const thrown: Error[] = [];
  const heard: TRPCError[] = [];
  const seen: unknown[] = [];
  const t = initTRPC.context<Context>().create({
    isDev,
    transformer: superjson,
    // As tRPC's documentation has it for zod: a formatter that tells an error's cause.
    errorFormatter: ({ shape, error }) => ({ ...shape, data: { ...shape.data, why: String(error.cause) } }),
  });
  const once = createOnce({
    records: db.records,
    claims: memoryClaims(),
    scope: (ctx: Context) => ctx.user,
    isFinal: () => true,
    onEvent: (event) => events.push(event),
  });
  const fail = (kind: string, poor: (data: { cents: number }) => Error): never => {
    const error = (failures[kind] as (typeof failures)[string])(poor);
    thrown.push(error);
    throw error;
  };
  const watched = t.procedure.use(async ({ next }) => {
    const result = await next();
    if (!result.ok) seen.push(result.error.cause);
    return result;
  });
  const implemented = once.implement(
    shop,
    { procedure: watched },
    { pay: ({ input, errors: { POOR } }) => fail(input, POOR) },
  );
  const router = t.router({
    shop: implemented,
    alone: watched
      .input(z.string())
      .use(once.idempotent({ t, errors }))
      .mutation(({ input, ctx }) => fail(input, ctx.errors.POOR)),
  });
  const call = overHttp(
    router,
    once,
    () => ({ user: 'ann' }),
    ({ error }) => heard.push(error),
  );
  const caller = (key: string) => router.createCaller(once.withKey({ user: 'ann' }, key));
  return { caller, call, events, thrown, heard, seen };
}

/** An error and all that it has as its cause. */
function chain(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...chain(error.cause)] : [];
}

const places = Object.keys(failures).flatMap((kind) => [
  ['shop.pay', kind],
  ['alone', kind],
]);

describe.each(places)('%s fails with %s', (path = '', kind = '') => {
  test('onError and middlewares find what was thrown, with its cause and stack, on the run and on no replay', async () => {
    const { call, heard, seen, thrown } = open();
    for (let n = 0; n < 3; n++) await call(path, { json: kind }, { key: 'k1' });
    expect(thrown).toHaveLength(1);
    expect(chain(heard[0])).toContain(thrown[0]);
    expect(chain(seen[0])).toContain(thrown[0]);
    expect(thrown[0]?.stack).toContain('original-error.test.ts');
    for (const replay of [...heard.slice(1), ...seen.slice(1)]) expect(chain(replay).slice(1)).toEqual([]);
    expect([heard.length, seen.length]).toEqual([3, 3]);
  });

  test.each([true, false])('what travels is the same to the byte, with isDev %s', async (isDev) => {
    const { call, events } = open({ isDev });
    const first = await call(path, { json: kind }, { key: 'k1' });
    const again = await call(path, { json: kind }, { key: 'k1' });
    const settled = first.text.replace('"settlement":"settled"', '"settlement":"replayed"');
    expect(again.text).toBe(settled);
    expect(first.body.error.json.data.stack !== undefined).toBe(isDev);
    expect(first.body.error.json.data.why).toBe('undefined');
    if (kind !== 'what isFinal calls so') {
      expect(first.text).not.toContain(SECRET);
      expect(JSON.stringify([...first.headers])).not.toContain(SECRET);
    }
    expect(first.text).not.toContain('for cents -1');
    expect(JSON.stringify(events)).not.toContain(SECRET);
    for (const event of events) expect(event).not.toHaveProperty('error');
  });

  test('a caller on the server finds it too, and the record holds nothing of it', async () => {
    const { caller, thrown } = open();
    const fails = (): Promise<any> => {
      const calls = caller('k1');
      return (path === 'alone' ? calls.alone(kind) : calls.shop.pay(kind)).then(
        () => expect.fail('it passed'),
        (error: unknown) => error,
      );
    };
    const first = await fails();
    expect(chain(first)).toContain(thrown[0]);
    const again = await fails();
    expect(again.cause).toBeUndefined();
    expect({ ...again, stack: again.stack }).toEqual({ ...first, cause: undefined, stack: first.stack });
    const record = await db.records.read({ scope: '["ann"]', key: 'k1' });
    expect(record?.outcome?.status).toBe('FAILED');
    expect(JSON.stringify(record)).not.toContain('for cents -1');
  });
});
