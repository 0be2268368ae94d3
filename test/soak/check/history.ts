import type { Entry, Fate, RawAnswer, ToldOutcome } from '../log/entry.js';
import { isMadeUp } from '../log/made-up.js';
import { type Meaning, meaningOf } from '../log/meaning.js';

type Of<T extends Entry['type']> = Extract<Entry, { readonly type: T }>;

/** One HTTP request, from its sending to however it ended. */
export interface Attempt extends Of<'sent'> {
  readonly answer: RawAnswer | undefined;
  /** `undefined` where no server answered: silence, or a page that the network made up. */
  readonly meaning: Meaning | undefined;
  readonly isMadeUp: boolean;
  /** Why there was no answer. */
  readonly silence: string | undefined;
  /** Epoch milliseconds; `undefined` where the sender was killed first. */
  readonly endedAt: number | undefined;
}

export interface Operation {
  readonly name: string;
  readonly principal: string;
  readonly fate: Fate;
  readonly input: { readonly reference: string; readonly from: string; readonly cents: number };
  readonly attempts: readonly Attempt[];
  readonly told: readonly { readonly key: string; readonly at: number; readonly outcome: ToldOutcome }[];
}

/** What all clients together sent and got. */
export interface History {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly attempts: ReadonlyMap<string, Attempt>;
}

export function historyOf(entries: readonly Entry[]): History {
  const ends = new Map<string, Of<'answer'> | Of<'silence'>>();
  for (const entry of entries)
    if (entry.type === 'answer' || entry.type === 'silence') ends.set(entry.attempt, entry);
  const attempts = new Map<string, Attempt>();
  for (const entry of entries)
    if (entry.type === 'sent') attempts.set(entry.attempt, attemptOf(entry, ends.get(entry.attempt)));
  const operations = new Map<string, Operation>();
  const attemptsOf = groupBy([...attempts.values()], ({ operation }) => operation);
  const toldOf = groupBy(
    entries.filter((entry) => entry.type === 'told'),
    ({ operation }) => operation,
  );
  for (const entry of entries)
    if (entry.type === 'asked')
      operations.set(entry.operation, {
        name: entry.operation,
        principal: entry.principal,
        fate: entry.fate,
        input: entry.input as Operation['input'],
        attempts: attemptsOf.get(entry.operation) ?? [],
        told: toldOf.get(entry.operation) ?? [],
      });
  return { operations, attempts };
}

function attemptOf(sent: Of<'sent'>, end: Of<'answer'> | Of<'silence'> | undefined): Attempt {
  const answer = end?.type === 'answer' ? end.answer : undefined;
  const madeUp = answer !== undefined && sent.via === 'network' && isMadeUp(answer);
  return {
    ...sent,
    answer,
    meaning: answer && !madeUp ? meaningOf(answer) : undefined,
    isMadeUp: madeUp,
    silence: end?.type === 'silence' ? end.why : undefined,
    endedAt: end?.at,
  };
}

export function groupBy<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(by(one));
    if (group) group.push(one);
    else groups.set(by(one), [one]);
  }
  return groups;
}

/** A key within its scope: what an outcome belongs to. */
export function idOf({ principal, key }: { readonly principal: string; readonly key: string }): string {
  return `${principal} ${key}`;
}
