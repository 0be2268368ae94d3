import { setTimeout as delay } from 'node:timers/promises';
import type { OnEvent } from '../events/once-event.js';
import type { RecordStore } from '../records/record-store.js';

export interface SweeperOptions {
  /**
   * How often to look for expired records, in milliseconds.
   * @default 60_000
   */
  readonly everyMs?: number;
  /**
   * Records deleted by one statement. Small, so that no call waits behind it.
   * @default 500
   */
  readonly batch?: number;
}

export interface Sweeper {
  /** Deletes all that has expired, batch by batch, and says how many. */
  runOnce(): Promise<number>;
  /** Runs until stopped. Every instance may: batches skip the rows that another has in hand. */
  start(): void;
  stop(): Promise<void>;
}

/** With the spread a timer still holds it: beyond 2^31-1 ms one fires at once, and the sweeper would not rest. */
const LONGEST_MS = 1_000_000_000;

/** @throws TypeError when an option is out of its range. */
export function sweeper(
  records: RecordStore<unknown>,
  emit: OnEvent,
  { everyMs = 60_000, batch = 500 }: SweeperOptions = {},
): Sweeper {
  let stopping = new AbortController();
  let running: Promise<void> | undefined;

  if (!Number.isInteger(batch) || batch < 1) throw new TypeError('sweep.batch must be a whole number from 1');
  if (!(everyMs > 0 && everyMs <= LONGEST_MS))
    throw new TypeError(`sweep.everyMs must be more than 0 and at most ${LONGEST_MS}`);

  async function sweep(stopped?: AbortSignal): Promise<number> {
    let expired = 0;
    for (let deleted = batch; deleted === batch && !stopped?.aborted; expired += deleted)
      deleted = await records.deleteExpired(batch);
    if (expired > 0) emit({ type: 'swept', expired });
    return expired;
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sweep(signal).catch((error: unknown) => emit({ type: 'records-failed', error }));
      // Spread, so that instances started together do not sweep together.
      await delay(everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return {
    runOnce: () => sweep(),
    start() {
      if (running) return;
      stopping = new AbortController();
      running = run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = undefined;
    },
  };
}
