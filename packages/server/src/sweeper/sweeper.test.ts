import { describe, expect, test, vi } from 'vitest';
import type { OnceEvent } from '../events/once-event.js';
import type { AbandonedRecord, RecordStore } from '../records/record-store.js';
import { sweeper } from './sweeper.js';

/** Records of which so many have expired, and some were abandoned; both ways fail while told to. */
function world(expired: number, { everyMs = 60_000, abandoned = [] as AbandonedRecord[] } = {}) {
  const events: OnceEvent[] = [];
  const batches: number[] = [];
  const failing = { delete: false, mark: false };
  const deleteExpired = vi.fn(async (limit: number, from = 0) => {
    if (failing.delete) throw new Error('gone');
    const count = Math.min(limit, expired);
    expired -= count;
    batches.push(count);
    return { count, upTo: count > 0 ? from + count : from };
  });
  const markAbandoned = vi.fn(async (limit: number, _afterMs: number) => {
    if (failing.mark) throw new Error('not allowed');
    return abandoned.splice(0, limit);
  });
  const records = { deleteExpired, markAbandoned } as unknown as RecordStore<unknown>;
  return {
    sweeping: sweeper(records, (event) => void events.push(event), { everyMs, batch: 5, share: 1 }),
    ...{ events, batches, deleteExpired, markAbandoned, failing },
    expire(more: number) {
      expired += more;
    },
  };
}

test.each([
  [0, [0]],
  [3, [3]],
  [5, [5, 0]],
  [12, [5, 5, 2]],
])('one run deletes all %d that have expired, batch by batch, and says how many', async (count, batches) => {
  const { sweeping, ...seen } = world(count);
  expect(await sweeping.runOnce()).toEqual({ expired: count, abandoned: 0 });
  expect(seen.batches).toEqual(batches);
  expect(seen.events).toEqual(count > 0 ? [{ type: 'swept', expired: count }] : []);
});

test('each batch begins where the one before ended, and the next run from the beginning', async () => {
  const { sweeping, deleteExpired, expire } = world(12);
  await sweeping.runOnce();
  expire(1);
  await sweeping.runOnce();
  expect(deleteExpired.mock.calls).toEqual([
    [5, undefined],
    [5, 5],
    [5, 10],
    [5, undefined],
  ]);
});

test('what was abandoned is marked after 15 minutes, and each is told by procedure and key', async () => {
  const lost = (key: string, status: AbandonedRecord['status']) => ({ procedure: 'pay', key, status });
  const abandoned = [
    ...Array.from({ length: 6 }, (_, n) => lost(`k${n}`, 'FAILED')),
    lost('k6', 'INDETERMINATE'),
  ];
  const { sweeping, events, markAbandoned } = world(0, { abandoned });
  expect(await sweeping.runOnce()).toEqual({ expired: 0, abandoned: 7 });
  expect(markAbandoned.mock.calls).toEqual([
    [5, 900_000],
    [5, 900_000],
  ]);
  expect(events).toHaveLength(7);
  expect(events[6]).toEqual({
    type: 'abandoned',
    call: { procedure: 'pay', key: 'k6' },
    status: 'INDETERMINATE',
  });
});

test('a database that lets nothing be marked lets what has expired be deleted all the same', async () => {
  const { sweeping, events, failing } = world(7);
  failing.mark = true;
  await expect(sweeping.runOnce()).rejects.toThrow('not allowed');
  expect(events).toEqual([{ type: 'swept', expired: 7 }]);
});

test('a run that fails on its way has told what it had deleted', async () => {
  const { sweeping, events, deleteExpired } = world(20);
  deleteExpired.mockImplementationOnce(async () => ({ count: 5, upTo: 1 }));
  deleteExpired.mockImplementationOnce(async () => {
    throw new Error('cut');
  });
  await expect(sweeping.runOnce()).rejects.toThrow('cut');
  expect(events).toEqual([{ type: 'swept', expired: 5 }]);
});

describe('started', () => {
  test('it sweeps at once, and again and again, until it is stopped', async () => {
    const { sweeping, ...seen } = world(7, { everyMs: 5 });
    sweeping.start();
    await expect.poll(() => seen.batches.length).toBeGreaterThanOrEqual(2);
    seen.expire(3);
    await expect.poll(() => seen.events).toContainEqual({ type: 'swept', expired: 3 });
    await sweeping.stop();
    const calls = seen.deleteExpired.mock.calls.length;
    // Nothing is left that could call again: the loop itself has ended.
    await new Promise(setImmediate);
    expect(seen.deleteExpired).toHaveBeenCalledTimes(calls);
  });

  test('twice, it is one sweeper', async () => {
    const { sweeping, batches } = world(0);
    sweeping.start();
    sweeping.start();
    await expect.poll(() => batches.length).toBe(1);
    await sweeping.stop();
    expect(batches).toHaveLength(1);
  });

  test('a database that fails is reported, and tried again', async () => {
    const { sweeping, events, failing } = world(2, { everyMs: 5 });
    failing.delete = true;
    sweeping.start();
    await expect.poll(() => events).toContainEqual({ type: 'records-failed', error: new Error('gone') });
    failing.delete = false;
    await expect.poll(() => events).toContainEqual({ type: 'swept', expired: 2 });
    await sweeping.stop();
  });

  test('stopping does not wait for the next turn, and waits for the batch in hand', async () => {
    const { sweeping, batches, deleteExpired } = world(0);
    sweeping.start();
    await expect.poll(() => batches.length).toBe(1);
    await sweeping.stop();

    let finish = (_: { count: number; upTo: number }): void => {};
    deleteExpired.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    sweeping.start();
    await expect.poll(() => deleteExpired.mock.calls.length).toBe(2);
    let stopped = false;
    const stopping = sweeping.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    // A full batch, and it does not begin another.
    finish({ count: 5, upTo: 5 });
    await stopping;
    expect(deleteExpired).toHaveBeenCalledTimes(2);
  });

  test('stopping also ends a run that was started by hand, which says how far it got', async () => {
    const { sweeping, deleteExpired } = world(20);
    let finish = (_: { count: number; upTo: number }): void => {};
    deleteExpired.mockImplementationOnce(() => new Promise((resolve) => (finish = resolve)));
    const run = sweeping.runOnce();
    await expect.poll(() => deleteExpired.mock.calls.length).toBe(1);
    const stopping = sweeping.stop();
    finish({ count: 5, upTo: 5 });
    await stopping;
    expect(await run).toEqual({ expired: 5, abandoned: 0 });
    expect(deleteExpired).toHaveBeenCalledTimes(1);
  });

  test('stopped, it can be started again, and run by hand', async () => {
    const { sweeping, events, expire } = world(1);
    sweeping.start();
    await sweeping.stop();
    expire(4);
    expect((await sweeping.runOnce()).expired).toBeGreaterThanOrEqual(4);
    expire(1);
    sweeping.start();
    await expect.poll(() => events.at(-1)).toEqual({ type: 'swept', expired: 1 });
    await sweeping.stop();
  });

  test('stopped without having been started, nothing happens', async () => {
    await world(1).sweeping.stop();
  });
});

test.each([
  { batch: 0 },
  { batch: -1 },
  { batch: 1.5 },
  { batch: Number.NaN },
  { everyMs: 0 },
  { everyMs: -1 },
  { everyMs: Number.NaN },
  { everyMs: 2 ** 31 },
  { share: 0 },
  { share: -0.1 },
  { share: 1.1 },
  { share: Number.NaN },
])('options that would make it turn without rest, or never, are refused: %j', (options) => {
  expect(() => sweeper({} as RecordStore<unknown>, () => {}, options)).toThrow(TypeError);
});

test.each([0, 999, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'a time after which owners that are well would count as gone, or none ever, is refused: %d ms',
  (abandonAfterMs) => {
    expect(() => sweeper({} as RecordStore<unknown>, () => {}, { abandonAfterMs })).toThrow('abandonAfterMs');
  },
);
