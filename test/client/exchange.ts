import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request as it arrived. */
export interface Arrived {
  readonly path: string;
  readonly search: string;
  /** As the server reads it; `undefined` when the header is missing or malformed. */
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Exchange extends Arrived {
  readonly response: ServerResponse;
  /** Commits the effect of this request's key, once however often it is asked; whether this was the first time. */
  commit(): boolean;
}

/** What the server does with one request. */
export type Reply = (exchange: Exchange) => unknown;
