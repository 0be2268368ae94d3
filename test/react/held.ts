import type { Reply } from '../client/exchange.js';
import { result } from '../client/replies.js';

export interface Held {
  readonly reply: Reply;
  /** When the request has come. */
  readonly asked: Promise<void>;
  /** Lets the server commit and answer. */
  release(): void;
}

/** A reply that is held back until the test says so; committed and answered then, unless said otherwise. */
export function held(reply: Reply = result()): Held {
  let came = () => {};
  let go = () => {};
  const asked = new Promise<void>((resolve) => {
    came = resolve;
  });
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  return {
    asked,
    release: () => go(),
    async reply(exchange) {
      came();
      await released;
      return reply(exchange);
    },
  };
}
