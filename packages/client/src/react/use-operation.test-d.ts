import { defineContract, procedure } from '@trpc-once/contract';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createIdempotentClient } from '../client/create-idempotent-client.js';
import type { OperationParkedError } from '../errors/operation-parked-error.js';
import type { OutcomeUnknownError } from '../errors/outcome-unknown-error.js';
import { memoryStorage } from '../outbox/storages/memory.js';
import { idempotentMutation } from './idempotent-mutation.js';
import { useOperation } from './use-operation.js';

const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string() }))
      .output(z.object({ orderId: z.string(), at: z.date() }))
      .errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ left: z.number() }) } })
      .idempotent()
      .mutation(),
    byId: procedure.input(z.string()).output(z.string()).query(),
  },
  increment: procedure.output(z.number()).idempotent().mutation(),
  notes: { add: procedure.input(z.string()).output(z.string()).mutation() },
});
const client = createIdempotentClient({
  contract: shop,
  url: '/trpc',
  owner: () => null,
  storage: memoryStorage(),
});

test('input, output and declared errors are those of the contract', () => {
  const placing = useOperation(client.orders.place, {
    intent: 'checkout:1',
    onSettled: (outcome) => {
      if (outcome.ok) expectTypeOf(outcome.data).toEqualTypeOf<{ orderId: string; at: string }>();
    },
  });
  expectTypeOf(placing.submit).parameter(0).toEqualTypeOf<{ sku: string }>();
  if (placing.state !== 'settled') return;
  const { outcome } = placing;
  if (outcome.ok) expectTypeOf(outcome.data).toEqualTypeOf<{ orderId: string; at: string }>();
  else if (outcome.declared?.name === 'OUT_OF_STOCK')
    expectTypeOf(outcome.declared.data).toEqualTypeOf<{ left: number }>();
  // @ts-expect-error not declared by the procedure
  if (!outcome.ok && outcome.declared?.name === 'UNKNOWN_SKU') return;
});

test('what a state does not have cannot be read in it', () => {
  const placing = useOperation(client.orders.place);
  // @ts-expect-error an outcome is there only once it is settled
  void placing.outcome;
  if (placing.state === 'unknown' || placing.state === 'parked') {
    expectTypeOf(placing.error).toEqualTypeOf<OutcomeUnknownError | OperationParkedError | undefined>();
    expectTypeOf(placing.mayHaveRun).toEqualTypeOf<boolean>();
  }
  // @ts-expect-error there is none while somebody asks
  if (placing.state === 'waiting') void placing.error;
  if (placing.state === 'waiting') expectTypeOf(placing.nextAttemptAt).toEqualTypeOf<number>();
});

test('a call without input is submitted without one', async () => {
  const counting = useOperation(client.increment);
  const view = await counting.submit();
  if (view.state === 'settled' && view.outcome.ok) expectTypeOf(view.outcome.data).toEqualTypeOf<number>();
  // @ts-expect-error an event handler would send its event
  expectTypeOf(counting.submit).toExtend<(event: MouseEvent) => void>();
});

test('only an idempotent mutation is an operation', () => {
  // @ts-expect-error it has no key
  useOperation(client.notes.add);
  // @ts-expect-error a query
  useOperation(client.orders.byId);
  // @ts-expect-error a group
  useOperation(client.orders);
});

test("TanStack Query's options are typed by the call, or by the variables they are read from", () => {
  const plain = idempotentMutation(client.orders.place, { intent: ({ sku }) => sku });
  expectTypeOf(plain.mutationFn).parameter(0).toEqualTypeOf<{ sku: string }>();
  expectTypeOf(plain.mutationFn).returns.resolves.toEqualTypeOf<{ orderId: string; at: string }>();
  const cart = idempotentMutation(client.orders.place, {
    intent: ({ id }: { id: string; sku: string }) => id,
    input: ({ sku }) => ({ sku }),
  });
  expectTypeOf(cart.mutationFn).parameter(0).toEqualTypeOf<{ id: string; sku: string }>();
  // @ts-expect-error not what the call takes
  idempotentMutation(client.orders.place, { input: (variables: { id: string }) => variables });
});
