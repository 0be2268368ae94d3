/** A `sleep` that lasts until the test ends it, so that no test depends on how long a delay takes. */
export function heldSleep() {
  const asked: number[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    /** The delays that were asked for, in milliseconds. */
    asked: asked as readonly number[],
    release: () => release(),
    sleep: (ms: number, signal: AbortSignal) => {
      asked.push(ms);
      return new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        void released.then(resolve);
      });
    },
  };
}
