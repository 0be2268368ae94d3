import type { Violation } from '../../check/case.js';
import { groupBy, idOf } from '../../check/history.js';
import { type AppCase, earliest, type KeptKey } from './app-case.js';

/** At most one effect for a key. */
export function* oneEffectOfAKey({ evidence }: AppCase): Iterable<Violation> {
  for (const [id, rows] of groupBy([...evidence.ledger], idOf))
    if (rows.length > 1)
      yield {
        rule: 'second effect',
        what: `key ${id} took effect ${rows.length} times`,
        operations: [...new Set(rows.map(({ reference }) => reference))],
      };
}

/**
 * One key for what was meant, until its outcome was handed over or somebody dropped it: another key of the same intent
 * needs a call that was made after that. Where outcomes are noted first, the note comes before the hand-over; elsewhere
 * only the answer is sure to.
 */
export function* oneKey({ keys, asked }: AppCase): Iterable<Violation> {
  const meant = ({ operation, call: { intent } }: KeptKey) =>
    `${operation.principal} ${intent === undefined ? `operation ${operation.name}` : `intent ${intent}`}`;
  for (const [what, group] of groupBy(keys, meant)) {
    const inOrder = group.sort((one, other) => one.since - other.since);
    for (const [n, former] of inOrder.entries())
      for (const next of inOrder.slice(n + 1)) {
        const end = endOf(former);
        const { intent } = next.call;
        const isCalledAgain = asked.some(
          ({ at, principal, call }) =>
            intent !== undefined &&
            call.intent === intent &&
            principal === next.operation.principal &&
            at >= end &&
            at <= next.since,
        );
        if (!isCalledAgain)
          yield {
            rule: 'second key',
            what: `${what} has key ${former.key}, over since ${end}, and key ${next.key} of ${next.since}`,
            operations: [...new Set([former.operation.name, next.operation.name])],
          };
      }
  }
}

function endOf({ told, outcomeAt, droppedAt, call }: KeptKey): number {
  const handedOver = call.settledFirst ? earliest(told) : outcomeAt;
  return Math.min(handedOver ?? Infinity, droppedAt ?? Infinity);
}

/** Nothing is sent with anybody's credentials but its owner's. */
export function* ownCredentials({ history }: AppCase): Iterable<Violation> {
  for (const { attempt, principal, operation } of history.attempts.values()) {
    const owner = history.operations.get(operation)?.principal;
    if (owner !== principal)
      yield {
        rule: "another's credentials",
        what: `attempt ${attempt} of ${owner}'s ${operation} was sent as ${principal}`,
        operations: [operation],
      };
  }
}
