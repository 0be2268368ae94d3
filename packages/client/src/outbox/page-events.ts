/**
 * Why the outbox looks up: `shown` when the page is looked at again, `online` when the device found a network. Timers may
 * have been slowed or stopped until then.
 */
export type Wake = 'shown' | 'online';

/** Calls `listener` at each; the returned function ends it. Where there is no page it never does. */
export function onWake(listener: (why: Wake) => void): () => void {
  const { document } = globalThis;
  if (!document || !globalThis.addEventListener) return () => {};
  const shown = () => {
    if (document.visibilityState === 'visible') listener('shown');
  };
  const online = () => listener('online');
  document.addEventListener('visibilitychange', shown);
  globalThis.addEventListener('pageshow', shown);
  globalThis.addEventListener('online', online);
  return () => {
    document.removeEventListener('visibilitychange', shown);
    globalThis.removeEventListener('pageshow', shown);
    globalThis.removeEventListener('online', online);
  };
}
