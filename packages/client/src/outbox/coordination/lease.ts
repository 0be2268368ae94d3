import { v7 } from 'uuid';
import type { Clock } from '../../attempts/clock.js';
import type { Hold } from '../others/hold.js';
import { leaseId } from '../store/lease-id.js';
import type { OutboxStorage } from '../store/storage.js';

/**
 * How long a hold outlives its last heartbeat: three beats, so that a page whose timers are slowed to one a second keeps
 * what it has; short enough that nobody minds what a killed process leaves behind.
 */
export const LEASE_MS = 9_000;
const BEAT_MS = LEASE_MS / 3;

/** Given up this long before it ends, since the request still has to leave. */
const MARGIN_MS = 2_000;

/** How often one that is taken is looked at again. */
const LOOK_MS = 200;

/**
 * A hold without Web Locks: a lease in the storage, renewed by a heartbeat, taken over when that stopped. Taking, renewing
 * and giving back are one swap each, so of two that try exactly one has it. By the clocks of those who share the storage:
 * those of one machine.
 */
export async function holdLease(
  storage: OutboxStorage,
  clock: Clock,
  name: string,
  signal: AbortSignal,
): Promise<Hold> {
  const id = leaseId(name);
  const token = v7();
  let until = 0;
  let text: string | undefined;
  const take = async (former: string | undefined): Promise<boolean> => {
    const ends = clock.now() + LEASE_MS;
    const next = JSON.stringify([ends, token]);
    if (!(await storage.swap(id, former, next))) return false;
    until = ends;
    text = next;
    return true;
  };
  for (;;) {
    if (signal.aborted) throw signal.reason;
    const found = await storage.get(id);
    const ends = found && endOf(found.text);
    // What cannot be read is nobody's.
    if (found && ends === undefined) await storage.delete(id);
    // Nor is what ends later than any lease can: the clock was set back, and nobody would have it for as long.
    else if (isOver(ends ?? 0, clock.now()) && (await take(found?.text))) break;
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
  let beating = true;
  let callOff = () => {};
  const beat = () => {
    callOff = clock.after(BEAT_MS, () => {
      renewing = take(text).then(
        (kept) => {
          if (kept && beating) beat();
          // Somebody else has it.
          if (!kept) until = 0;
        },
        () => beating && beat(),
      );
    });
  };
  let renewing = Promise.resolve<unknown>(undefined);
  beat();
  return {
    get lost() {
      return clock.now() > until - MARGIN_MS;
    },
    release() {
      beating = false;
      callOff();
      // Not given back, it ends by itself.
      renewing = renewing.then(() => storage.swap(id, text, undefined)).catch(() => {});
    },
  };
}

function isOver(ends: number, now: number): boolean {
  return ends <= now || ends > now + 2 * LEASE_MS;
}

function endOf(text: string | undefined): number | undefined {
  try {
    const [ends] = JSON.parse(text as string) as unknown[];
    return typeof ends === 'number' ? ends : undefined;
  } catch {
    return undefined;
  }
}
