import type { Seen } from './step.js';
import type { Answer } from './world.js';

/** What an attempt asks of a store. `commit` is the second half of a transaction. */
export type Asks = 'claim' | 'transact' | 'commit' | 'read' | 'probe' | 'release' | 'settle';

/** One thing that happened to an attempt in a real run. */
export type Note = { readonly attempt: number } & (
  | { readonly asks: Asks }
  | { readonly sees: Seen }
  | { readonly answers: Answer }
  | { readonly crashes: true }
);

/** Everything that happened to one operation, in the order in which it was noted, and what the record said at last. */
export interface Trace {
  readonly notes: readonly Note[];
  readonly record: number | null;
}
