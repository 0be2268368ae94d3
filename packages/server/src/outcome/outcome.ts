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

/**
 * Of an operation that its owner left in progress for good, before any effect: nothing happened, and its key is used up.
 * The sweeper writes it, who knows neither the procedure's transformer nor the app's seal, so it is one word that neither
 * of them makes: no JSON text, and no sealed one.
 */
export const abandoned = {
  status: 'FAILED',
  code: 'PRECONDITION_FAILED',
  body: 'ABANDONED',
} as const satisfies Outcome;

export function isAbandoned({ status, body }: Outcome): boolean {
  return status === abandoned.status && body === abandoned.body;
}
