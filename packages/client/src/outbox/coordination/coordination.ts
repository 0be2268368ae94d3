import type { Hold } from '../others/hold.js';

/**
 * How the tabs of a browser, or the processes over one storage, keep out of each other's way. It decides nothing: with
 * two senders the server still runs an operation once. It saves requests, and keeps two tabs from making two operations
 * of one intent.
 */
export interface Coordination {
  /**
   * Whether news reach everybody with their text. If not, an outcome that was handed over stays in storage for a while,
   * for those elsewhere who wait for it.
   */
  readonly carries: boolean;
  /**
   * Waits until `name` is free and takes it, those who asked first going first where that can be had. Never takes it away
   * from one who has it.
   * @throws when `signal` is aborted, or when there is no way to coordinate
   */
  hold(name: string, signal: AbortSignal): Promise<Hold>;
  /** Tells the others. */
  tell(news: string): void;
  /** Hears the others; without a text it only says that something may have changed. The returned function ends it. */
  hear(listener: (news: string | undefined) => void): () => void;
}
