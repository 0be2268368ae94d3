import { nearestName } from '@trpc-once/contract';
import type { OnEvent } from '../events/once-event.js';
import { requireKnown } from '../options/require-known.js';
import { explained } from '../records/explained.js';
import type { RecordStore } from '../records/record-store.js';
import { pacedBy, sleep } from './pace.js';
import { type Place, type Swept, sweep } from './sweep.js';

export interface SweeperOptions {
  /**
   * How often to look, in milliseconds. A look that finds nothing reads a few pages of an index.
   * @default 60_000
   */
  readonly everyMs?: number;
  /**
   * Records deleted by one statement. Small, so that no call waits behind it.
   * @default 500
   */
  readonly batch?: number;
  /**
   * The share of its time that a sweep spends in the database while it has much to do, up to 1; it rests for the
   * remainder. More sweeps faster, and slows calls.
   * @default 0.1: see bench/README.md for what that costs calls
   */
  readonly share?: number;
  /**
   * How long a record may lie in progress untouched, in milliseconds, before it is taken for abandoned. By the database's
   * clock, from the last sign of its owner.
   * @default 900_000 (15 minutes)
   */
  readonly abandonAfterMs?: number;
}

export interface Sweeper {
  /**
   * Marks all that was abandoned and deletes all that has expired, batch by batch.
   * @throws what the database threw; the next run goes on.
   */
  runOnce(): Promise<Swept>;
  /**
   * Runs until stopped. Every instance may: batches skip the rows that another has in hand.
   * @throws TypeError when it is given options: they belong to `createOnce({ sweep })`.
   */
  start(): void;
  /** Ends the batch in hand, and no other begins. */
  stop(): Promise<void>;
}

/** With the spread a timer still holds it: beyond 2^31-1 ms one fires at once, and the sweeper would not rest. */
const LONGEST_MS = 1_000_000_000;

/**
 * How long sweeps go on from where the one before ended, in milliseconds. Then one looks at all again, for what had been in
 * somebody's hand, or committed late.
 */
const LOOK_BACK_MS = 3_600_000;

const known = {
  everyMs: true,
  batch: true,
  share: true,
  abandonAfterMs: true,
} satisfies Record<keyof SweeperOptions, true>;

/** @throws TypeError when an option is out of its range, or unknown. */
export function sweeper(records: RecordStore<unknown>, emit: OnEvent, options: SweeperOptions = {}): Sweeper {
  requireKnown('sweep', options, known);
  const { everyMs = 60_000, batch = 500, share = 0.1, abandonAfterMs = 900_000 } = options;
  if (!Number.isSafeInteger(batch) || batch < 1)
    throw new TypeError('sweep.batch must be a whole number from 1');
  if (!(everyMs > 0 && everyMs <= LONGEST_MS))
    throw new TypeError(`sweep.everyMs must be more than 0 and at most ${LONGEST_MS}`);
  if (!(share > 0 && share <= 1)) throw new TypeError('sweep.share must be more than 0 and at most 1');
  // Shorter than a lease, and it would take operations from owners that are well.
  if (!(abandonAfterMs >= 1_000 && abandonAfterMs < Number.POSITIVE_INFINITY))
    throw new TypeError('sweep.abandonAfterMs must be at least 1000');

  const sweeping = { records, emit, batch, abandonAfterMs, pace: pacedBy(share) };
  const active = new Set<Promise<unknown>>();
  let stopping = new AbortController();
  let started = false;

  /** Keeps sight of what runs, so that stopping can wait for it. */
  async function track<T>(running: Promise<T>): Promise<T> {
    active.add(running);
    try {
      return await running;
    } finally {
      active.delete(running);
    }
  }

  async function run(stop: AbortSignal): Promise<void> {
    let place: Place = { from: undefined };
    let lookedBackAt = performance.now();
    while (!stop.aborted) {
      if (performance.now() - lookedBackAt >= LOOK_BACK_MS) {
        place = { from: undefined };
        lookedBackAt = performance.now();
      }
      await sweep(sweeping, place, stop).catch((error: unknown) =>
        emit({ type: 'records-failed', error: explained(error) }),
      );
      // Spread, so that instances started together do not sweep together. Nothing to keep a process alive for.
      await sleep(everyMs * (0.5 + Math.random()), stop, { ref: false });
    }
  }

  return {
    runOnce: () => track(sweep(sweeping, { from: undefined }, stopping.signal)),
    start(...given: unknown[]) {
      if (isOptions(given[0]))
        throw new TypeError('sweeper.start() takes nothing: say createOnce({ sweep: { everyMs, … } })');
      if (started) return;
      started = true;
      void track(run(stopping.signal));
    },
    async stop() {
      stopping.abort();
      stopping = new AbortController();
      started = false;
      await Promise.allSettled(active);
    },
  };
}

/** Whoever hands over `start` itself as a listener gives it whatever that is given, and means nothing by it. */
function isOptions(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return Object.keys(given).some((name) => nearestName(name, Object.keys(known)) !== undefined);
}
