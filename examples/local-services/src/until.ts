import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** How long the condition may take to come true. @default 10_000 */
  readonly withinMs?: number;
  /** The pause between two looks. @default 10 */
  readonly everyMs?: number;
  /** What is waited for, for the error. @default the condition's source */
  readonly what?: string;
}

/**
 * Looks until the condition holds, and gives what it gave. It is the one way to wait for something that sends no
 * event: a sleep that is long enough on one machine is too short on another.
 *
 * @throws Error when it does not hold in time. What the condition itself throws ends the wait at once.
 * @example
 * ```ts
 * const rows = await until(async () => (await pool.query('select 1 from ledger')).rowCount, { withinMs: 2_000 });
 * ```
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { withinMs = 10_000, everyMs = 10, what = String(condition) }: UntilOptions = {},
): Promise<NonNullable<Exclude<T, false | 0 | ''>>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found) return found as NonNullable<Exclude<T, false | 0 | ''>>;
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${what}`);
    await delay(everyMs);
  }
}
