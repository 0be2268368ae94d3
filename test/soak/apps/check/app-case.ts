import type { Case } from '../../check/case.js';
import { type Attempt, groupBy, type Operation } from '../../check/history.js';
import type { AppCall } from '../../log/app-entry.js';
import type { Entry } from '../../log/entry.js';
import { isOutcome } from '../../log/meaning.js';

export type Of<T extends Entry['type']> = Extract<Entry, { readonly type: T }>;

export interface Asked extends Of<'asked'> {
  readonly call: AppCall;
  /** Its place in all logs, one after the other: within one process the order in which it called. */
  readonly n: number;
}

/** One key that an outbox kept, or that was sent. */
export interface KeptKey {
  readonly key: string;
  readonly operation: Operation;
  /** Every call of its operation, in order. */
  readonly asked: readonly Asked[];
  readonly call: AppCall;
  readonly attempts: readonly Attempt[];
  /** When it was first seen to be kept, or sent. */
  readonly since: number;
  /** When an outbox first said that it has it; a process may be killed before it has noted that. */
  readonly keptAt: number | undefined;
  /** When its outcome first came. */
  readonly outcomeAt: number | undefined;
  readonly told: readonly Of<'told'>[];
  /** When somebody first set about dropping it. */
  readonly droppedAt: number | undefined;
}

/** What the fleet's checker goes by beside the rest. */
export interface AppCase extends Case {
  readonly entries: readonly Entry[];
  readonly asked: readonly Asked[];
  readonly keys: readonly KeptKey[];
}

export function appCaseOf(found: Case, entries: readonly Entry[]): AppCase {
  const asked = all(entries, 'asked').map((entry, n) => ({ ...entry, n }) as Asked);
  const askedOf = groupBy(asked, ({ operation }) => operation);
  const told = groupBy(all(entries, 'told'), ({ operation, key }) => `${operation} ${key}`);
  const kept = groupBy(all(entries, 'kept'), ({ operation, key }) => `${operation} ${key}`);
  const sent = groupBy([...found.history.attempts.values()], ({ operation, key }) => `${operation} ${key}`);
  const drops = all(entries, 'dropping');
  const keys = [...new Set([...kept.keys(), ...sent.keys()])].flatMap((id): KeptKey[] => {
    const [name, key] = id.split(' ') as [string, string];
    const operation = found.history.operations.get(name);
    const asks = askedOf.get(name);
    if (!operation || !asks) return [];
    const attempts = sent.get(id) ?? [];
    const keptAt = earliest(kept.get(id) ?? []);
    const since = Math.min(keptAt ?? Infinity, earliest(attempts) ?? Infinity);
    const outcomes = attempts.filter(({ meaning }) => meaning && isOutcome(meaning));
    const dropped = drops.filter(
      (drop) =>
        drop.principal === operation.principal &&
        (drop.key === undefined ? drop.at >= (asks[0] as Asked).at : drop.key === key),
    );
    return [
      {
        ...{ key, operation, asked: asks, call: (asks[0] as Asked).call, attempts, since, keptAt },
        outcomeAt: earliest(outcomes.map(({ endedAt }) => ({ at: endedAt as number }))),
        told: told.get(id) ?? [],
        droppedAt: earliest(dropped),
      },
    ];
  });
  return { ...found, entries, asked, keys };
}

export function all<T extends Entry['type']>(entries: readonly Entry[], type: T): Of<T>[] {
  return entries.filter((entry): entry is Of<T> => entry.type === type);
}

export function earliest(all: readonly { readonly at: number }[]): number | undefined {
  return all.length === 0 ? undefined : Math.min(...all.map(({ at }) => at));
}
