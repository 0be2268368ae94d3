import type { Decision } from '../schedule/decision.js';

/** What the proxy did, as it does it. Which attempt of what it was about is in every event. */
export type ProxyEvent = { readonly identity: string; readonly attempt: number } & (
  | {
      /** The head of a request came in, and its fault was decided. */
      readonly type: 'arrived';
      readonly method: string;
      readonly path: string;
      readonly decision: Decision;
    }
  | {
      /** A copy of it went out to an upstream. */
      readonly type: 'forwarded';
      readonly copy: 1 | 2;
      readonly upstream: string;
    }
  | {
      /** That copy's answer was read to the end. */
      readonly type: 'answered';
      readonly copy: 1 | 2;
      readonly upstream: string;
      readonly status: number;
    }
  | {
      /** An upstream failed by itself; `refused` means that it did not take the connection. No fault of the schedule's. */
      readonly type: 'upstream-failed';
      readonly copy: 1 | 2;
      readonly upstream: string;
      readonly refused: boolean;
      readonly error: Error;
    }
  | {
      /**
       * How it ended for the client: with a whole answer (an upstream's or a made-up one), by the proxy's cutting its
       * connection, or by its leaving first.
       */
      readonly type: 'ended';
      readonly client: 'answered' | 'cut' | 'gone';
    }
);
