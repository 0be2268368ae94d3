/**
 * What settled, as it is stored and replayed. Bodies are text, never a parsed value: a replay must be what the first
 * caller got, to the byte, and a database's JSON type would reorder its keys.
 */
export type Outcome = {
  /** The response headers to replay, as JSON; absent when there are none. */
  readonly headers?: string;
} & (
  | {
      readonly status: 'COMPLETED';
      /** The encoded output; empty for an output of `undefined`. */
      readonly body: string;
    }
  | {
      readonly status: 'FAILED';
      /** The tRPC code, such as `CONFLICT`. */
      readonly code: string;
      /** The encoded message and declared error. */
      readonly body: string;
    }
);
