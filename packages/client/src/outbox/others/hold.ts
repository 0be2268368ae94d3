/** Something this tab or process has to itself. */
export interface Hold {
  /**
   * Whether it is over although nobody released it: the page was frozen, or slept past its lease. Looked at right before
   * every send, so it must be told from the time and not by a timer, which sleeps with the page.
   */
  readonly lost: boolean;
  release(): void;
}
