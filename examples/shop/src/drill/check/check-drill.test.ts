import { expect, it } from 'vitest';
import type { Order } from '../../contract.js';
import type { Told } from '../clients/told.js';
import { type PlannedOrder, planDrill } from '../plan.js';
import { checkDrill } from './check-drill.js';
import type { Evidence, SettledRecord } from './evidence.js';

/** 60 operations: 2 that cannot be paid, 5 that ask for the rare product, of which 3 get it. */
const plan = planDrill({ seed: 1, orders: 60, clients: 3 });
const rare = plan.operations.filter(({ fate }) => fate === 'sold-or-out-of-stock');
const poor = plan.operations.filter(({ fate }) => fate === 'insufficient-funds');
const tea = plan.operations.filter(({ fate }) => fate === 'sold');

function order({ reference, client, sku, quantity }: PlannedOrder): Order {
  const placedAt = '2026-01-01T00:00:00.000Z';
  const accountId = `customer-${client + 1}`;
  return { id: `id of ${reference}`, accountId, sku, quantity, totalCents: 749, reference, placedAt };
}

function goodOutcome(operation: PlannedOrder): Told['outcome'] {
  if (poor.includes(operation)) return { kind: 'declared', name: 'INSUFFICIENT_FUNDS', data: { cents: 1 } };
  if (rare.indexOf(operation) > 2) return { kind: 'declared', name: 'OUT_OF_STOCK', data: { left: 0 } };
  return { kind: 'order', order: order(operation) };
}

function recordOf({ key, outcome }: Told): SettledRecord {
  if (outcome.kind === 'order') return { key, status: 'COMPLETED', body: structuredClone(outcome.order) };
  const { name, data } = outcome as Extract<Told['outcome'], { kind: 'declared' }>;
  return { key, status: 'FAILED', body: { message: 'declined', declared: { name, data } } };
}

/** What a good drill leaves behind, to be spoiled. */
function goodDrill() {
  const told: Told[] = plan.operations.map((operation) => ({
    reference: operation.reference,
    key: `key of ${operation.reference}`,
    outcome: goodOutcome(operation),
  }));
  const orders = told.flatMap(({ outcome }) =>
    outcome.kind === 'order' ? [structuredClone(outcome.order)] : [],
  );
  const books = {
    ...{ orders: 56, charges: 56, repeatedReferences: 0, ordersNotChargedOnce: 0 },
    ...{ balancesOff: 0, ledgerBreaks: 0, stockOff: 0 },
  };
  return { told, orders, records: told.map(recordOf), books };
}

type Drill = ReturnType<typeof goodDrill>;

function verdictOf({ told, ...evidence }: Omit<Drill, 'books'> & Pick<Evidence, 'books'>) {
  return checkDrill(plan, told, evidence);
}

const toldOf = (drill: Drill, { reference }: PlannedOrder) =>
  drill.told.find((one) => one.reference === reference)!;
const indexOf = (drill: Drill, { reference }: PlannedOrder) =>
  drill.orders.findIndex((one) => one.reference === reference);

it('a good drill has no findings, and its figures are those of the database', () => {
  const { answers, ...verdict } = verdictOf(goodDrill());
  expect(verdict).toEqual({ lost: 0, doubled: 0, ordersExpected: 56, booksBalance: true, findings: [] });
  expect(answers).toMatchObject({ right: 60, declined: 4, findings: [] });
});

it('an outcome that was told twice the same is one outcome', () => {
  const drill = goodDrill();
  drill.told.push(structuredClone(drill.told[0]!));
  expect(verdictOf(drill)).toMatchObject({ findings: [], answers: { right: 60 } });
});

const [sold, other, stranger] = tea as [PlannedOrder, PlannedOrder, PlannedOrder];
const [rareSold] = rare as [PlannedOrder];
const lateRare = rare.at(-1)!;
const [unaffordable] = poor as [PlannedOrder];

const spoiled: readonly [what: string, spoil: (drill: Drill) => void, ...findings: string[]][] = [
  [
    'an order placed twice',
    (drill) => drill.orders.push({ ...order(sold), id: 'another' }),
    `${sold.reference} took effect 2 times`,
  ],
  [
    'an order that is gone though its client was told of it',
    (drill) => drill.orders.splice(indexOf(drill, sold), 1),
    `${sold.reference} was lost: it has no order`,
    `${sold.reference} was told of an order that is not in the database as told`,
  ],
  [
    'a rare one that is gone though its client was told of it',
    (drill) => drill.orders.splice(indexOf(drill, rareSold), 1),
    `${rareSold.reference} was lost: it has no order`,
    '2 of the rare product were sold, not 3',
    `${rareSold.reference} was told of an order that is not in the database as told`,
  ],
  [
    'an order under an operation that was declined',
    (drill) => drill.orders.push(order(unaffordable)),
    `${unaffordable.reference} has an order that its account could not pay for`,
    `${unaffordable.reference} was declined with INSUFFICIENT_FUNDS, and has an order`,
  ],
  [
    'one rare product too many',
    (drill) => drill.orders.push(order(lateRare)),
    '4 of the rare product were sold, not 3',
    `${lateRare.reference} was declined with OUT_OF_STOCK, and has an order`,
  ],
  [
    'an order for something else',
    (drill) => {
      drill.orders[indexOf(drill, sold)] = { ...order(sold), quantity: sold.quantity + 1 };
    },
    `${sold.reference} has an order for something else`,
    `${sold.reference} was told of an order that is not in the database as told`,
  ],
  [
    'an order that nobody planned',
    (drill) => drill.orders.push({ ...order(sold), id: 'x', reference: null }),
    'order x belongs to no operation',
  ],
  [
    'an operation without an outcome',
    (drill) => drill.told.splice(drill.told.indexOf(toldOf(drill, sold)), 1),
    `${sold.reference} has no outcome: no client was told one`,
  ],
  [
    'an answer that differs from its record by one cent',
    (drill) => {
      const record = drill.records.find(({ key }) => key === `key of ${sold.reference}`)!;
      (record.body as { totalCents: number }).totalCents += 1;
    },
    `${sold.reference} was told another outcome than its record holds (key key of ${sold.reference})`,
  ],
  [
    'two different answers',
    (drill) => drill.told.push({ ...toldOf(drill, sold), outcome: { kind: 'order', order: order(other) } }),
    `${sold.reference} was told two different outcomes`,
  ],
  [
    'the same outcome under two keys',
    (drill) => {
      drill.told.push({ ...toldOf(drill, sold), key: 'another' });
      drill.records.push(recordOf(drill.told.at(-1)!));
    },
    `${sold.reference} was told two different outcomes`,
    '61 outcomes are recorded for 60 operations: each must settle under one key',
  ],
  [
    'what should have been sold declined',
    (drill) => {
      const at = drill.told.indexOf(toldOf(drill, stranger));
      const outcome = { kind: 'declared', name: 'OUT_OF_STOCK', data: {} } as const;
      drill.told[at] = { ...drill.told[at]!, outcome };
      drill.records[at] = recordOf(drill.told[at]);
      drill.orders.splice(indexOf(drill, stranger), 1);
    },
    `${stranger.reference} was lost: it has no order`,
    `${stranger.reference} was declined with OUT_OF_STOCK, which cannot be`,
  ],
  [
    'an error that is no outcome',
    (drill) => {
      const at = drill.told.indexOf(toldOf(drill, sold));
      drill.told[at] = { ...drill.told[at]!, outcome: { kind: 'other', message: 'boom' } };
    },
    `${sold.reference} ended with what is no outcome: boom`,
  ],
];

it.each(spoiled)('%s is found', (_what, spoil, ...findings) => {
  const drill = goodDrill();
  spoil(drill);
  expect(verdictOf(drill).findings).toEqual(findings);
});

it('lost and doubled count operations, not rows', () => {
  const drill = goodDrill();
  drill.orders.push({ ...order(sold), id: 'second' }, { ...order(sold), id: 'third' });
  drill.orders.splice(indexOf(drill, other), 1);
  expect(verdictOf(drill)).toMatchObject({ lost: 1, doubled: 1 });
});

it.each(
  Object.entries({
    repeatedReferences: 1,
    ordersNotChargedOnce: 2,
    balancesOff: 3,
    ledgerBreaks: 4,
    stockOff: 5,
  }),
)('books whose %s is not zero do not balance', (figure, count) => {
  const drill = goodDrill();
  const verdict = verdictOf({ ...drill, books: { ...drill.books, [figure]: count } });
  expect(verdict.booksBalance).toBe(false);
  expect(verdict.findings).toEqual([expect.stringMatching(new RegExp(`^${count} `))]);
});

it('a ledger with another number of charges than there are orders does not balance', () => {
  const drill = goodDrill();
  const verdict = verdictOf({ ...drill, books: { ...drill.books, charges: 57 } });
  expect(verdict.findings).toEqual(['57 ledger rows charge for 56 orders']);
});
