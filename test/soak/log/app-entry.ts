/** How an app of the fleet called an operation, noted before it did. */
export interface AppCall {
  /** The process. */
  readonly app: string;
  /** All processes over one outbox. */
  readonly group: string;
  /** Whether its outcomes are noted in onSettled, before its callers hear. */
  readonly settledFirst: boolean;
  readonly intent?: string;
  readonly key?: string;
  readonly lane?: string;
  readonly onFailure?: 'halt' | 'continue';
}

/** What an app of the fleet notes on disk beside what it asks, sends and is told. */
export type AppEntry =
  /** Its outbox says that the operation is in storage. */
  | { readonly type: 'kept'; readonly at: number; readonly operation: string; readonly key: string }
  /** A call ended without an outcome: by an error of the library's own. */
  | {
      readonly type: 'ended';
      readonly at: number;
      readonly operation: string;
      readonly key: string;
      readonly error: string;
      readonly reason?: string;
    }
  /** onSettled could not note an outcome, or was not told because somebody else has signed in. */
  | { readonly type: 'refused'; readonly at: number; readonly operation: string; readonly key: string }
  /** Somebody is about to drop one operation, or all of one principal's. */
  | { readonly type: 'dropping'; readonly at: number; readonly principal: string; readonly key?: string }
  /** Somebody is about to go on with a halted lane. */
  | { readonly type: 'going on'; readonly at: number; readonly principal: string; readonly lane: string }
  /** The app itself saw what must not be. */
  | { readonly type: 'wrong'; readonly at: number; readonly operation: string; readonly what: string };
