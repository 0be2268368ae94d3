/** How an operation is asked for. */
export interface StartOptions {
  /** How long whoever starts or joins the run waits for it. @default the operation's own policy */
  readonly waitMs?: number | undefined;
  /** Stores the operation, before everything else. */
  readonly insert?: () => Promise<void>;
  /** Whether to try at once instead of waiting for a backoff. */
  readonly now?: boolean;
  /** Whether somebody else is at it, so that this run only has to step in when that stops. */
  readonly follows?: boolean;
  /** Whether its first attempt waits until it is due. @default false */
  readonly unhurried?: boolean;
  /**
   * Whether nobody asked for it but time: it has one attempt, goes before nobody in the budget, and ends no wait when
   * that brings no outcome. Whoever joins it has it go on as usual.
   */
  readonly byTime?: boolean;
  /** Whether attempts wait for a turn among those of a crowd. */
  readonly inTurn?: boolean;
}
