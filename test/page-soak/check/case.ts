import type { Ledger } from '../story/books.js';
import type { Story } from '../story/story.js';

/** What the checker goes by: what was seen from outside the client, and the database. */
export interface Case {
  readonly story: Pick<
    Story,
    'taps' | 'arrivals' | 'sights' | 'steps' | 'forgotten' | 'complaints' | 'hung' | 'left'
  >;
  readonly ledger: Ledger;
}

/** Something that must not be. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
  /** Whose timeline shows how it came about. */
  readonly carts: readonly string[];
}

/** Looks for one kind of violation. */
export type Rule = (found: Case) => Iterable<Violation>;

export function groupBy<T>(all: Iterable<T>, nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
}
