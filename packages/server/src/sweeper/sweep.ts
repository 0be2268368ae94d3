import type { OnceEvent, OnEvent } from '../events/once-event.js';
import type { RecordStore } from '../records/record-store.js';
import type { Pace } from './pace.js';

/** What one sweep has done. */
export interface Swept {
  /** Records that had expired, and are gone. */
  readonly expired: number;
  /** Records that were left in progress, and are marked. */
  readonly abandoned: number;
}

export interface SweepOptions {
  readonly records: Pick<RecordStore<unknown>, 'deleteExpired' | 'markAbandoned'>;
  readonly emit: OnEvent;
  readonly batch: number;
  readonly abandonAfterMs: number;
  readonly pace: Pace;
}

/** Where sweeping has come to, among what expires. Kept from one sweep to the next, or thrown away to look at all again. */
export interface Place {
  from: number | undefined;
}

/** How often a long sweep says how far it is, in milliseconds. */
const PROGRESS_MS = 10_000;

/**
 * One sweep: batch, rest, batch, rest … until a batch is not full, or `stop` says so. Each batch is a transaction of its
 * own that lasts milliseconds, so stopping waits for no more than that.
 *
 * @throws what the database threw; what was done by then is done, and was told.
 */
export async function sweep(options: SweepOptions, place: Place, stop: AbortSignal): Promise<Swept> {
  let abandoned = 0;
  let expired = 0;
  try {
    abandoned = await markAbandoned(options, stop);
  } finally {
    // Also where marking failed: one must not keep the other from its work for ever.
    expired = await deleteExpired(options, place, stop);
  }
  return { expired, abandoned };
}

async function markAbandoned(options: SweepOptions, stop: AbortSignal): Promise<number> {
  const { records, emit, batch, abandonAfterMs, pace } = options;
  let marked = 0;
  while (!stop.aborted) {
    const beganAt = pace.now();
    const those = await records.markAbandoned(batch, abandonAfterMs);
    for (const { procedure, key, status } of those)
      emit({ type: 'abandoned', call: { procedure, key }, status });
    marked += those.length;
    if (those.length < batch) break;
    await pace.rest(pace.now() - beganAt, stop);
  }
  return marked;
}

async function deleteExpired(options: SweepOptions, place: Place, stop: AbortSignal): Promise<number> {
  const { records, emit, batch, pace } = options;
  const tell = (type: Extract<OnceEvent, { expired: number }>['type']) => emit({ type, expired });
  let expired = 0;
  let toldAt = pace.now();
  try {
    while (!stop.aborted) {
      const beganAt = pace.now();
      const { count, upTo } = await records.deleteExpired(batch, place.from);
      expired += count;
      // Index entries of what is gone stay until a vacuum; those before this place need not be passed again.
      place.from = upTo;
      if (count < batch) break;
      if (pace.now() - toldAt >= PROGRESS_MS) {
        tell('sweeping');
        toldAt = pace.now();
      }
      await pace.rest(pace.now() - beganAt, stop);
    }
  } finally {
    if (expired > 0) tell('swept');
  }
  return expired;
}
