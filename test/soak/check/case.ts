import type { Evidence } from './evidence.js';
import type { History } from './history.js';

/** What the checker goes by: the database, and every answer that any client ever received. Nothing else. */
export interface Case {
  readonly history: History;
  readonly evidence: Evidence;
}

/** Something that must not be. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
  /** Whose timeline shows how it came about. */
  readonly operations: readonly string[];
}

/** Looks for one kind of violation. */
export type Rule = (found: Case) => Iterable<Violation>;
