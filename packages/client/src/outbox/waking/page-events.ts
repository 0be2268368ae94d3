/**
 * Why the outbox looks up: `shown` when the page is looked at again, `online` when the device found a network. Timers may
 * have been slowed or stopped until then.
 */
export type Wake = 'shown' | 'online';

/** Calls `wake` at each; the returned function ends it. */
export type OnWake = (wake: (why: Wake) => void) => () => void;

/** Calls `listener` at each; the returned function ends it. Where there is no page it never does. */
export const onWake: OnWake = (listener) => {
  const { document } = globalThis;
  if (!document || !globalThis.addEventListener) return () => {};
  const shown = () => {
    if (document.visibilityState === 'visible') listener('shown');
  };
  const events = [
    [document, 'visibilitychange', shown],
    [globalThis, 'pageshow', shown],
    [globalThis, 'online', () => listener('online')],
  ] as const;
  for (const [target, type, run] of events) target.addEventListener(type, run);
  return () => {
    for (const [target, type, run] of events) target.removeEventListener(type, run);
  };
};
