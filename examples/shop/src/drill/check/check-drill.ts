import { isDeepStrictEqual } from 'node:util';
import type { Told } from '../clients/told.js';
import type { Plan, PlannedOrder } from '../plan.js';
import { byReference } from './by-reference.js';
import { type AnswerVerdict, checkAnswers } from './check-answers.js';
import { booksFindings } from './check-books.js';
import type { Evidence } from './evidence.js';

export interface Verdict {
  /** Operations that must have an order, or were told they have one, and do not. */
  readonly lost: number;
  /** Operations with more than one order. */
  readonly doubled: number;
  /** How many orders there must be. */
  readonly ordersExpected: number;
  readonly answers: AnswerVerdict;
  readonly booksBalance: boolean;
  /** All that is off, in words; none in a good drill. */
  readonly findings: readonly string[];
}

/** Holds what was planned, what the clients were told and what the database says against each other. */
export function checkDrill(plan: Plan, told: readonly Told[], evidence: Evidence): Verdict {
  const { operations, rareSold } = plan;
  const ordersOf = byReference(evidence.orders);
  const count = ({ reference }: PlannedOrder) => ordersOf.get(reference)?.length ?? 0;

  const answers = checkAnswers(plan, told, evidence);
  const lost = operations.filter(
    (order) => count(order) === 0 && (order.fate === 'sold' || answers.toldSold.has(order.reference)),
  );
  const doubled = operations.filter((order) => count(order) > 1);
  const unaffordable = operations.filter((order) => order.fate === 'insufficient-funds' && count(order) > 0);
  const planned = new Set(operations.map(({ reference }) => reference));
  const unplanned = evidence.orders.filter(({ reference }) => !planned.has(reference ?? ''));
  const otherGoods = operations.filter(({ reference, sku, quantity }) =>
    ordersOf
      .get(reference)
      ?.some((order) => !isDeepStrictEqual([order.sku, order.quantity], [sku, quantity])),
  );
  const rare = operations.filter((order) => order.fate === 'sold-or-out-of-stock' && count(order) > 0);
  const certain = operations.filter(({ fate }) => fate === 'sold').length;

  const books = booksFindings(evidence.books);
  return {
    lost: lost.length,
    doubled: doubled.length,
    ordersExpected: certain + rareSold,
    answers,
    booksBalance: books.length === 0,
    findings: [
      ...named(lost, 'was lost: it has no order'),
      ...doubled.map((order) => `${order.reference} took effect ${count(order)} times`),
      ...named(unaffordable, 'has an order that its account could not pay for'),
      ...named(otherGoods, 'has an order for something else'),
      ...unplanned.map(({ id }) => `order ${id} belongs to no operation`),
      ...(rare.length === rareSold ? [] : [`${rare.length} of the rare product were sold, not ${rareSold}`]),
      ...books,
      ...answers.findings,
    ],
  };
}

function named(operations: readonly PlannedOrder[], what: string): readonly string[] {
  return operations.map(({ reference }) => `${reference} ${what}`);
}
