import type { Violation } from '../../check/case.js';
import { groupBy } from '../../check/history.js';
import { type AppCase, all, earliest } from './app-case.js';

/** What was kept, or sent, comes to an outcome that is told, unless somebody dropped it. */
export function* nothingLost({ keys }: AppCase): Iterable<Violation> {
  for (const { key, operation, call, outcomeAt, told, droppedAt } of keys) {
    if (droppedAt !== undefined) continue;
    const lost = (what: string) => ({
      rule: 'lost',
      what: `key ${key} of ${operation.name} was kept, and ${what}`,
      operations: [operation.name],
    });
    if (outcomeAt === undefined) yield lost('nobody heard an outcome');
    else if (call.settledFirst && told.length === 0) yield lost('its outcome was not noted');
  }
}

/** Where outcomes are noted first, no caller is told one before onSettled was, though that may have refused. */
export function* notedFirst({ keys, entries }: AppCase): Iterable<Violation> {
  const refusedOf = groupBy(all(entries, 'refused'), ({ operation, key }) => `${operation} ${key}`);
  for (const { key, operation, call, told, droppedAt } of keys) {
    // What was dropped while its answer was on the way is nobody's to note; who still waited is told what came.
    if (!call.settledFirst || droppedAt !== undefined) continue;
    const refused = refusedOf.get(`${operation.name} ${key}`) ?? [];
    const noted = earliest([...refused, ...told.filter(({ to }) => to === 'onSettled')]) ?? Infinity;
    const heard = earliest(told.filter(({ to }) => to === 'caller')) ?? Infinity;
    if (heard < noted && heard !== Infinity)
      yield {
        rule: 'told before it was noted',
        what: `a caller was told key ${key} at ${heard}, onSettled at ${noted}`,
        operations: [operation.name],
      };
  }
}

/** Errors mean what they say: an outcome settled, "not sent" was not sent, a conflict had something to conflict with. */
export function* errorsMeanIt({ entries, asked, history }: AppCase): Iterable<Violation> {
  const sentAt = groupBy([...history.attempts.values()], ({ operation, key }) => `${operation} ${key}`);
  const askedOf = groupBy(asked, ({ operation }) => operation);
  for (const { operation, key, outcome } of all(entries, 'told'))
    if (outcome.kind === 'ended')
      yield {
        rule: 'not an outcome',
        what: `${operation} (${key}): ${outcome.why}`,
        operations: [operation],
      };
  for (const { operation, key, error, reason } of all(entries, 'ended')) {
    const wrong = (rule: string, what: string) => ({ rule, what, operations: [operation] });
    const calls = askedOf.get(operation) ?? [];
    // It speaks of its own call: another one of the caller's own key may have been kept.
    const isOnly = calls.length === 1 || calls.every(({ call }) => call.key === undefined);
    switch (error) {
      case 'NotSentError':
        if (isOnly && sentAt.has(`${operation} ${key}`))
          yield wrong('sent all the same', `${operation} (${key}) was told not sent (${reason}), and was`);
        break;
      case 'IntentConflictError':
        if (!calls.some(({ call }) => call.intent !== undefined && call.intent !== operation))
          yield wrong('no conflict', `${operation} was called with its own intent and input only`);
        break;
      case 'OperationExpiredError':
        yield wrong('not expired', `${operation} is minutes old`);
    }
  }
  for (const { operation, what } of all(entries, 'wrong'))
    yield { rule: 'seen by the app', what, operations: [operation] };
}
