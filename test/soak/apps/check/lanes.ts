import type { Violation } from '../../check/case.js';
import { groupBy, idOf } from '../../check/history.js';
import { type AppCase, type Asked, all, earliest, type KeptKey } from './app-case.js';

/** Operations of a lane take effect in the order of their calls; what somebody dropped may be anywhere. */
export function* inLine({ keys, evidence }: AppCase): Iterable<Violation> {
  const effectOf = new Map(evidence.ledger.map((row) => [idOf(row), row.id]));
  for (const [what, lane] of lanesOf(keys)) {
    const ran = lane.flatMap((one) => {
      const effect = effectOf.get(idOf({ principal: one.operation.principal, key: one.key }));
      return effect === undefined || one.droppedAt !== undefined ? [] : [{ ...one, effect }];
    });
    for (const one of ran)
      for (const other of ran)
        if (isBefore(one, other) && one.effect > other.effect)
          yield {
            rule: 'out of line',
            what: `${what}: ${one.operation.name} was called before ${other.operation.name}, and ran after it`,
            operations: [one.operation.name, other.operation.name],
          };
  }
}

/** Behind a failure that halts nothing is sent until somebody goes on. */
export function* halted({ keys, entries }: AppCase): Iterable<Violation> {
  const goOns = all(entries, 'going on');
  for (const [what, lane] of lanesOf(keys))
    for (const failed of lane) {
      const failure = failed.attempts.filter(({ meaning }) => meaning?.kind === 'failed');
      const at = earliest(failure.map(({ endedAt }) => ({ at: endedAt as number })));
      if (at === undefined || failed.call.onFailure !== 'halt') continue;
      for (const next of lane) {
        // What was not kept when it failed may come after the lane has gone on.
        if (!isBefore(failed, next) || (next.keptAt ?? Infinity) >= at) continue;
        const sentAt = earliest(next.attempts);
        const isFree = goOns.some(
          ({ principal, lane: freed, at: then }) =>
            principal === next.operation.principal && freed === next.call.lane && then <= (sentAt ?? 0),
        );
        if (sentAt !== undefined && !isFree && failed.droppedAt === undefined)
          yield {
            rule: 'let through',
            what: `${what}: ${failed.operation.name} failed, and ${next.operation.name} behind it was sent`,
            operations: [failed.operation.name, next.operation.name],
          };
      }
    }
}

function lanesOf(keys: readonly KeptKey[]): [string, KeptKey[]][] {
  const inLanes = keys.filter(({ call }) => call.lane !== undefined);
  return [...groupBy(inLanes, ({ operation, call }) => `${operation.principal} ${call.lane}`)];
}

/** Kept before the other was called; or called once each, in one process, in that order. */
function isBefore(one: KeptKey, other: KeptKey): boolean {
  const [first] = other.asked as readonly [Asked];
  if (one.keptAt !== undefined && one.keptAt < first.at) return true;
  const [own] = one.asked as readonly [Asked];
  return (
    one !== other &&
    one.asked.length === 1 &&
    other.asked.length === 1 &&
    own.call.app === first.call.app &&
    own.n < first.n
  );
}
