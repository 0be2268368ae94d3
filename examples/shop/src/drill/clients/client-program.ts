/**
 * One client in a process of its own, which may be killed at any moment and started again: what was under way it finds
 * in its file outbox, what it was told it finds in its journal, and whatever is in neither it has not begun.
 */
import { EventEmitter, once } from 'node:events';
import { isOutcomeUnknown } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import type { Order } from '../../contract.js';
import { type PlanOptions, planDrill } from '../plan.js';
import { drillClient } from './drill-client.js';
import { Journal } from './journal.js';
import { toldError } from './told.js';

/** What the program is told to do. */
export interface ClientOrder extends PlanOptions {
  readonly url: string;
  /** Which of the plan's clients it is. */
  readonly client: number;
  readonly outbox: string;
  readonly journal: string;
  readonly atOnce: number;
}

export type ClientMessage =
  /** `pending`: how many operations were in the outbox when it came up. */
  | { readonly type: 'ready'; readonly pending: number }
  | { readonly type: 'told'; readonly reference: string };

/** An operation that ran out of attempts waits in the outbox until somebody asks for it again. */
const RESUME_EVERY_MS = 500;

const order = JSON.parse(process.argv[2] ?? '') as ClientOrder;
const plan = planDrill(order);
const tell = (message: ClientMessage): void => void process.send?.(message);

const journal = new Journal(order.journal);
const pending = new Set<string>();
const outcomes = new EventEmitter();

const client = drillClient({
  url: order.url,
  accountId: plan.customers[order.client]!.accountId,
  storage: fileStorage(order.outbox),
  onSettled({ key, intent: reference = '' }, outcome) {
    const said = outcome.ok
      ? ({ kind: 'order', order: outcome.data as Order } as const)
      : toldError(outcome.error);
    journal.write({ reference, key, outcome: said });
    pending.delete(reference);
    tell({ type: 'told', reference });
    outcomes.emit('told');
  },
});

// Found in the outbox, and resumed by the client by itself.
const found = (await client.outbox.list()).flatMap(({ intent }) => intent ?? []);
for (const reference of found) if (!journal.has(reference)) pending.add(reference);
tell({ type: 'ready', pending: pending.size });
const resuming = setInterval(() => void client.outbox.resume(), RESUME_EVERY_MS);

for (const { reference, sku, quantity } of plan.operations.filter((one) => one.client === order.client)) {
  if (journal.has(reference) || pending.has(reference)) continue;
  while (pending.size >= order.atOnce) await once(outcomes, 'told');
  pending.add(reference);
  handOver({ sku, quantity, reference });
}
while (pending.size > 0) await once(outcomes, 'told');
clearInterval(resuming);
await client.outbox.close();
journal.close();
process.disconnect();

/**
 * Leaves an order to the outbox, which keeps it before it sends it. Nobody waits for the answer: a promise dies with the
 * process, and of an outcome that a promise was given the outbox keeps nothing. `onSettled` gets it, and must return
 * before the outbox forgets it.
 */
function handOver(input: { sku: string; quantity: number; reference: string }): void {
  const leave = new AbortController();
  const placed = client.orders.place.mutate(input, { intent: input.reference, signal: leave.signal });
  placed.catch((error: unknown) => {
    if (!isOutcomeUnknown(error)) throw error;
  });
  void placed.key().then(() => leave.abort());
}
