import { signal } from '../invariants/signal.js';

/** A handler that is held inside its transaction, so that something can happen while its operation is in progress. */
export interface HeldHandler {
  /** Resolves when it is inside, with nothing written yet. */
  readonly inside: Promise<void>;
  goOn(): void;
  /** The bank's hook. */
  before(): Promise<void>;
}

/**
 * @example
 * ```ts
 * const handler = heldHandler();
 * await using bank = await openBank({ hooks: handler });
 * const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
 * await handler.inside;
 * handler.goOn();
 * ```
 */
export function heldHandler(): HeldHandler {
  const inside = signal();
  const goOn = signal();
  return {
    inside: inside.given,
    goOn: goOn.give,
    async before() {
      inside.give();
      await goOn.given;
    },
  };
}
