import type { Answer } from './answer.js';

/** How an attempt ended without an answer. */
export type Silence = 'network' | 'timeout' | 'cut-body' | 'headers' | 'closed';

/** What one attempt brought to light; facts only, read by `classify`. */
export type Evidence =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      /** Whether the platform is known to have sent the attempt once, so that this answers all that was sent of it. */
      readonly sentOnce: boolean;
      /** Whether it says that it was given before; a browser may not be shown. */
      readonly replayed: boolean;
      /** The body as it came, kept as the outcome if it turns out to be one. */
      readonly text: string;
      /** `undefined` when the body is not tRPC's. */
      readonly answer: Answer | undefined;
    }
  | {
      readonly kind: 'silence';
      readonly why: Silence;
      /** Whether the server may have received the attempt. */
      readonly mayHaveArrived: boolean;
      readonly cause: unknown;
    }
  /** Held back at the last moment: its owner is no longer the one signed in. */
  | { readonly kind: 'withheld' };
