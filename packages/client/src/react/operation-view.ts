import type { DeclaredErrorOf, DeclaredErrors } from '@trpc-once/contract';
import type { IntentConflictError } from '../errors/intent-conflict-error.js';
import type { OperationParkedError, ParkReason } from '../errors/operation-parked-error.js';
import type { OutcomeUnknownError } from '../errors/outcome-unknown-error.js';
import type { AttemptNote } from '../outbox/operation/operation.js';

/** What a component calls its operation, if it has a name for it; given and `undefined`, it is not known yet. */
export interface OperationName {
  readonly intent?: string | undefined;
  readonly key?: string | undefined;
}

/** What is known of the operation's attempts, in every state. */
export interface OperationProgress {
  /** The operation's key; `undefined` when there is no operation. */
  readonly key: string | undefined;
  /** Attempts begun, those before a reload included. */
  readonly attempts: number;
  /** What became of the latest of them, oldest first. */
  readonly notes: readonly AttemptNote[];
  /**
   * Set when `submit()` was called with another input than the one that this operation has. Nothing was sent for that
   * call: what is shown is still the first one.
   */
  readonly conflict: IntentConflictError | undefined;
}

/** What is known of an operation without an outcome. */
export interface OpenOperation {
  /** Whether some attempt may have taken effect. `false`: it did not happen so far, and is kept all the same. */
  readonly mayHaveRun: boolean;
}

/** Why an operation that nobody is asking for has no outcome. */
export interface WhyOpen {
  /**
   * What its callers were told last, for a log: the server's own words are in its `cause`. It is no failure, and
   * `undefined` when nobody has asked since the page was loaded.
   */
  readonly error: OutcomeUnknownError | OperationParkedError | undefined;
}

/** What an operation came to, with the errors that its procedure declares. */
export type OperationOutcome<TOutput = unknown, TErrors extends DeclaredErrors = DeclaredErrors> =
  | { readonly ok: true; readonly data: TOutput }
  | {
      readonly ok: false;
      readonly error: Error;
      /** The declared error that it is; `undefined` for an error that the procedure does not declare. */
      readonly declared: DeclaredErrorOf<TErrors> | undefined;
    };

/**
 * Where an operation stands, as a component sees it.
 *
 * ```
 *   idle ─► sending ⇄ waiting ─► settled               settled: the outcome, for good or ill
 *              │  ▲                                    refused: it did not run, and will not
 *              │  └── resume() ── parked, unknown      neither of these is a failure: nobody knows yet
 *              ├─► refused
 *              └─► expired                             too old to be asked for: look it up
 * ```
 */
export type OperationView<
  TOutput = unknown,
  TErrors extends DeclaredErrors = DeclaredErrors,
> = OperationProgress & {
  /**
   * `idle`: there is none · `sending`: being stored, or an attempt is under way · `waiting`: between two attempts · `parked`,
   * `unknown`: kept, and nobody knows yet; neither is a failure · `expired`: too old to be asked for, look it up ·
   * `settled`: it has an outcome, for good or ill · `refused`: it did not take effect, and will not.
   */
  readonly state: 'idle' | 'sending' | 'waiting' | 'parked' | 'unknown' | 'expired' | 'settled' | 'refused';
} & (
    | { readonly state: 'idle' }
    /** It is being stored, or an attempt is under way. */
    | { readonly state: 'sending' }
    /** Between two attempts; the next is due at `nextAttemptAt` (epoch milliseconds). `resume()` makes it at once. */
    | ({ readonly state: 'waiting'; readonly nextAttemptAt: number } & OpenOperation)
    /**
     * Kept until something changes (somebody signs in, say), and then resumed. `server-changed` is not: there `resume()` is
     * the decision to send it to the server of now.
     */
    | ({ readonly state: 'parked'; readonly reason: ParkReason } & OpenOperation & WhyOpen)
    /** Nobody is asking for it at the moment, and there is no evidence of an outcome. Kept; `resume()` asks again. */
    | ({ readonly state: 'unknown' } & OpenOperation & WhyOpen)
    /** Sent longer ago than the server keeps outcomes: it is not sent again, and has to be looked up. */
    | ({ readonly state: 'expired' } & OpenOperation)
    | { readonly state: 'settled'; readonly outcome: OperationOutcome<TOutput, TErrors> }
    /** It did not take effect: the server declined to run it, or nothing was ever sent (`NotSentError`). */
    | { readonly state: 'refused'; readonly error: Error }
  );

export const idle: OperationView<never, never> = Object.freeze({
  state: 'idle',
  key: undefined,
  attempts: 0,
  notes: Object.freeze([]),
  conflict: undefined,
});
