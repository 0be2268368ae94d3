/** Waits. On the global timers, unlike node:timers/promises, so that a test can hold the clock. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
