import { afterEach, expect, test, vi } from 'vitest';
import type { OnceEvent } from '../events/once-event.js';
import { pacedBy } from './pace.js';
import { sweep } from './sweep.js';

/** A sweep of full batches on a clock that a batch moves on by so much. */
function paced({ batchMs, batches }: { batchMs: number; batches: number }) {
  const events: OnceEvent[] = [];
  const rests: number[] = [];
  const stop = new AbortController();
  let nowMs = 0;
  let left = batches;
  const options = {
    records: {
      async deleteExpired(limit: number) {
        nowMs += batchMs;
        left--;
        return { count: left >= 0 ? limit : 0, upTo: 1 };
      },
      markAbandoned: async () => [],
    },
    emit: (event: OnceEvent) => void events.push(event),
    batch: 100,
    abandonAfterMs: 900_000,
    pace: {
      now: () => nowMs,
      async rest(tookMs: number) {
        rests.push(tookMs);
      },
    },
  };
  return { events, rests, stop, options };
}

test('after each full batch it rests in proportion to what that took, and not after the last', async () => {
  const { rests, stop, options } = paced({ batchMs: 7, batches: 3 });
  expect(await sweep(options, { from: undefined }, stop.signal)).toEqual({ expired: 300, abandoned: 0 });
  expect(rests).toEqual([7, 7, 7]);
});

test('a long sweep says every ten seconds how far it is', async () => {
  const { events, stop, options } = paced({ batchMs: 2_500, batches: 9 });
  await sweep(options, { from: undefined }, stop.signal);
  expect(events).toEqual([
    { type: 'sweeping', expired: 400 },
    { type: 'sweeping', expired: 800 },
    { type: 'swept', expired: 900 },
  ]);
});

test('one that was stopped before it began asks the database for nothing', async () => {
  const { events, stop, options } = paced({ batchMs: 1, batches: 3 });
  stop.abort();
  expect(await sweep(options, { from: undefined }, stop.signal)).toEqual({ expired: 0, abandoned: 0 });
  expect(events).toEqual([]);
});

afterEach(() => void vi.useRealTimers());

test('a rest is nine times the work where a tenth of the time may be work, and ends at once when the sweep is stopped', async () => {
  vi.useFakeTimers();
  const { rest } = pacedBy(0.1);
  const stop = new AbortController();
  let rested = 0;
  const count = (): void => void rested++;
  void rest(100, stop.signal).then(count);
  await vi.advanceTimersByTimeAsync(899);
  expect(rested).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(rested).toBe(1);
  void rest(100, stop.signal).then(count);
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(rested).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('a batch that was held up does not put the sweep off by more than a minute', async () => {
  vi.useFakeTimers();
  const stop = new AbortController();
  let rested = false;
  void pacedBy(0.001)
    .rest(10_000, stop.signal)
    .then(() => {
      rested = true;
    });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(rested).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(rested).toBe(true);
});
