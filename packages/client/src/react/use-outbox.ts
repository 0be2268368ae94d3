import { useCallback, useSyncExternalStore } from 'react';
import type { Operation } from '../outbox/operation/operation.js';
import type { Outbox } from '../outbox/outbox.js';

const none: readonly Operation[] = Object.freeze([]);

/**
 * The operations of whoever is signed in that are pending, or whose outcome was not handed over yet: oldest first, and
 * rendered anew with every attempt. Empty on a server, and while the app cannot say who is signed in.
 *
 * @example
 * ```tsx
 * const pending = useOutbox(client.outbox);
 * return <p>{pending.length} on their way</p>;
 * ```
 */
export function useOutbox(outbox: Outbox): readonly Operation[] {
  const subscribe = useCallback(
    (listener: () => void) => {
      let gone = false;
      const end = outbox.subscribe(listener);
      // What an earlier page left is only in storage. Where that cannot be read, the calls say so.
      outbox.list().then(
        () => gone || listener(),
        () => {},
      );
      return () => {
        gone = true;
        end();
      };
    },
    [outbox],
  );
  const snapshot = useCallback(() => {
    try {
      return outbox.snapshot();
    } catch {
      // The app cannot say who is signed in.
      return none;
    }
  }, [outbox]);
  return useSyncExternalStore(subscribe, snapshot, () => none);
}
