import { type inferRouterOutputs, initTRPC } from '@trpc/server';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { PgTransaction } from '../records/databases/pg-database.js';
import { postgresRecords } from '../records/ready-made.js';
import { createOnce } from './create-once.js';
import type { DeclaredError } from './errors/declared-error.js';
import type { ReplayedHeaders } from './outcomes/replayed-headers.js';

interface Context {
  userId: string;
}

const t = initTRPC.context<Context>().create();
const once = createOnce({ scope: (ctx: Context) => ctx.userId, records: postgresRecords(null as never) });

test('the handler finds transaction, key, headers and errors on its ctx, beside what was there', () => {
  const named = t.procedure.use(({ next }) => next({ ctx: { name: 'Ada' } }));
  named
    .input(z.object({ cents: z.number() }))
    .use(
      once.idempotent({ t, errors: { POOR: { code: 'CONFLICT', data: z.object({ cents: z.number() }) } } }),
    )
    .output(z.string())
    .mutation(({ ctx, input }) => {
      expectTypeOf(ctx.tx).toEqualTypeOf<PgTransaction>();
      expectTypeOf(ctx.idempotencyKey).toEqualTypeOf<string>();
      expectTypeOf(ctx.replayedHeaders).toEqualTypeOf<ReplayedHeaders>();
      expectTypeOf(ctx.errors.POOR).toEqualTypeOf<(data: { cents: number }) => DeclaredError>();
      expectTypeOf(ctx.userId).toEqualTypeOf<string>();
      expectTypeOf(ctx.name).toEqualTypeOf<string>();
      expectTypeOf(input).toEqualTypeOf<{ cents: number }>();
      // @ts-expect-error nobody declares it
      ctx.errors.CLOSED();
      // @ts-expect-error its data is missing
      ctx.errors.POOR();
      return 'done';
    });
});

test('without declared errors there are none to make', () => {
  t.procedure.use(once.idempotent({ t })).mutation(({ ctx }) => {
    // @ts-expect-error nothing is declared
    ctx.errors.POOR();
  });
});

test('the procedure stays one of the app’s own', () => {
  const router = t.router({ pay: t.procedure.use(once.idempotent({ t })).mutation(() => ({ id: 1 })) });
  expectTypeOf<inferRouterOutputs<typeof router>['pay']>().toEqualTypeOf<{ id: number }>();
});

test('its options are checked', () => {
  once.idempotent({ t, retentionMs: 1_000, leaseMs: 1_000 });
  // @ts-expect-error what clients do about lost answers is for a contract to say
  once.idempotent({ t, retry: { maxAttempts: 2 } });
  // @ts-expect-error no code of tRPC
  once.idempotent({ t, errors: { POOR: { code: 'NO_MONEY' } } });
});
