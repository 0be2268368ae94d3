import type { Evidence } from '../attempts/evidence.js';
import type { DurableOutbox } from '../outbox/durable-outbox.js';
import { call, lost, type OpenOptions, type World } from './world.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The look at who is signed in, which one that resumes by time takes now and then. */
export const IDLE_TIMERS = 1;

/** How clients ask by time unless they are told otherwise. */
export const rhythm = { minDelayMs: MINUTE, maxDelayMs: 15 * MINUTE };

/** An outbox that resumes by itself, by time as well. */
export function started(it: World, options: OpenOptions = {}): DurableOutbox {
  const outbox = it.open({ rhythm, ...options });
  outbox.start();
  return outbox;
}

/** From now on nothing gets through, until the script is cleared. */
export function outage(it: World, evidence: Evidence = lost): void {
  it.script.push(...Array(5_000).fill(() => evidence));
}

/** Makes a call that fails with its attempts spent, and forgets what was sent for it. @returns its key */
export async function giveUp(
  it: World,
  outbox: DurableOutbox,
  change: Parameters<typeof call>[0] = {},
): Promise<string> {
  const { key = 'spent' } = change;
  await outbox.submit(call({ key, retry: { maxAttempts: 1 }, ...change })).catch(() => {});
  it.sent.length = 0;
  return key;
}
