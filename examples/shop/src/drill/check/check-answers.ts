import { isDeepStrictEqual } from 'node:util';
import type { Told, ToldOutcome } from '../clients/told.js';
import type { Fate, Plan, PlannedOrder } from '../plan.js';
import { byReference } from './by-reference.js';
import type { Evidence, SettledRecord } from './evidence.js';

export interface AnswerVerdict {
  /** Operations whose answer is, word for word, what the database holds. */
  readonly right: number;
  /** Operations that ended with a declared error, as they had to. */
  readonly declined: number;
  /** References whose client was told that there is an order. */
  readonly toldSold: ReadonlySet<string>;
  readonly findings: readonly string[];
}

const declaredErrors: { readonly [F in Fate]: readonly string[] } = {
  sold: [],
  'sold-or-out-of-stock': ['OUT_OF_STOCK'],
  'insufficient-funds': ['INSUFFICIENT_FUNDS'],
};

/** Compares every answer that a client got with the record of its key and the order of its reference. */
export function checkAnswers(plan: Plan, told: readonly Told[], evidence: Evidence): AnswerVerdict {
  const toldOf = byReference(told);
  const findings: string[] = [];
  const toldSold = new Set<string>();
  let right = 0;
  let declined = 0;
  for (const operation of plan.operations) {
    const { reference } = operation;
    const [first, ...again] = toldOf.get(reference) ?? [];
    const fault = first
      ? faultIn(operation, first, again, evidence)
      : 'has no outcome: no client was told one';
    if (first?.outcome.kind === 'order') toldSold.add(reference);
    if (fault !== undefined) findings.push(`${reference} ${fault}`);
    else right++;
    if (fault === undefined && first?.outcome.kind === 'declared') declined++;
  }
  const surplus = evidence.records.length - plan.operations.length;
  if (surplus !== 0)
    findings.push(
      `${evidence.records.length} outcomes are recorded for ${plan.operations.length} operations: each must settle under one key`,
    );
  return { right, declined, toldSold, findings };
}

function faultIn(
  { reference, fate }: PlannedOrder,
  { key, outcome }: Told,
  again: readonly Told[],
  { orders, records }: Evidence,
): string | undefined {
  if (outcome.kind === 'other') return `ended with what is no outcome: ${outcome.message}`;
  const different = again.find((other) => !isDeepStrictEqual([other.key, other.outcome], [key, outcome]));
  if (different) return 'was told two different outcomes';
  if (
    !matches(
      outcome,
      records.find((record) => record.key === key),
    )
  )
    return `was told another outcome than its record holds (key ${key})`;
  const own = orders.filter((order) => order.reference === reference);
  if (outcome.kind === 'order')
    return own.some((order) => isDeepStrictEqual(order, outcome.order))
      ? undefined
      : 'was told of an order that is not in the database as told';
  if (!declaredErrors[fate].includes(outcome.name))
    return `was declined with ${outcome.name}, which cannot be`;
  return own.length > 0 ? `was declined with ${outcome.name}, and has an order` : undefined;
}

function matches(outcome: ToldOutcome, record: SettledRecord | undefined): boolean {
  switch (outcome.kind) {
    case 'order':
      return record?.status === 'COMPLETED' && isDeepStrictEqual(record.body, outcome.order);
    case 'declared': {
      const { name, data } = outcome;
      const { declared } = (record?.body ?? {}) as { declared?: unknown };
      return record?.status === 'FAILED' && isDeepStrictEqual(declared, { name, data });
    }
    case 'other':
      return false;
  }
}
