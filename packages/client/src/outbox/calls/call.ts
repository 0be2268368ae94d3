import type { RetryPolicy } from '@trpc-once/contract';
import type { WaitOptions } from '../hand-over/waiters.js';
import type { OnFailure } from '../operation/operation.js';

/** A call as it comes to the outbox. */
export interface Call extends WaitOptions {
  readonly key: string;
  /** Whether the caller chose the key, so that it may be in the outbox already. */
  readonly keyGiven: boolean;
  /** For whom it is meant. @default whoever is signed in */
  readonly owner?: string | null | undefined;
  readonly path: string;
  readonly body: string | null;
  readonly intent?: string | undefined;
  readonly lane?: string | undefined;
  readonly onFailure?: OnFailure | undefined;
  readonly retry: RetryPolicy;
  readonly retentionMs: number;
  /** Told the operation's key: the call's own, or that of the operation it joins. */
  onKey?(key: string, owner: string | null): void;
}
