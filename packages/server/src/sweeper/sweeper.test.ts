import { describe, expect, test, vi } from 'vitest';
import type { OnceEvent } from '../events/once-event.js';
import type { RecordStore } from '../records/record-store.js';
import { sweeper } from './sweeper.js';

/** Records of which so many have expired; deleting fails while told to. */
function expired(count: number, everyMs = 60_000) {
  const events: OnceEvent[] = [];
  const batches: number[] = [];
  let failing = false;
  const deleteExpired = vi.fn(async (limit: number) => {
    if (failing) throw new Error('gone');
    const deleted = Math.min(limit, count);
    count -= deleted;
    batches.push(deleted);
    return deleted;
  });
  const records = { deleteExpired } as unknown as RecordStore<unknown>;
  return {
    sweeping: sweeper(records, (event) => void events.push(event), { everyMs, batch: 5 }),
    ...{ events, batches, deleteExpired },
    fail(now: boolean) {
      failing = now;
    },
    expire(more: number) {
      count += more;
    },
  };
}

test.each([
  [0, [0]],
  [3, [3]],
  [5, [5, 0]],
  [12, [5, 5, 2]],
])('one run deletes all %d that have expired, batch by batch, and says how many', async (count, batches) => {
  const world = expired(count);
  expect(await world.sweeping.runOnce()).toBe(count);
  expect(world.batches).toEqual(batches);
  expect(world.events).toEqual(count > 0 ? [{ type: 'swept', expired: count }] : []);
});

describe('started', () => {
  test('it sweeps at once, and again and again, until it is stopped', async () => {
    const world = expired(7, 5);
    world.sweeping.start();
    await expect.poll(() => world.batches.length).toBeGreaterThanOrEqual(2);
    world.expire(3);
    await expect.poll(() => world.events).toContainEqual({ type: 'swept', expired: 3 });
    await world.sweeping.stop();
    const calls = world.deleteExpired.mock.calls.length;
    // Nothing is left that could call again: the loop itself has ended.
    await new Promise(setImmediate);
    expect(world.deleteExpired).toHaveBeenCalledTimes(calls);
  });

  test('twice, it is one sweeper', async () => {
    const world = expired(0);
    world.sweeping.start();
    world.sweeping.start();
    await expect.poll(() => world.batches.length).toBe(1);
    await world.sweeping.stop();
    expect(world.batches).toHaveLength(1);
  });

  test('a database that fails is reported, and tried again', async () => {
    const world = expired(2, 5);
    world.fail(true);
    world.sweeping.start();
    await expect
      .poll(() => world.events)
      .toContainEqual({ type: 'records-failed', error: new Error('gone') });
    world.fail(false);
    await expect.poll(() => world.events).toContainEqual({ type: 'swept', expired: 2 });
    await world.sweeping.stop();
  });

  test('stopping does not wait for the next turn, and waits for the batch in hand', async () => {
    const world = expired(0);
    world.sweeping.start();
    await expect.poll(() => world.batches.length).toBe(1);
    await world.sweeping.stop();

    let finish = (_: number): void => {};
    world.deleteExpired.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    world.sweeping.start();
    let stopped = false;
    const stopping = world.sweeping.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    // A full batch, and it does not begin another.
    finish(5);
    await stopping;
    expect(world.deleteExpired).toHaveBeenCalledTimes(2);
  });

  test('stopped, it can be started again, and run by hand', async () => {
    const world = expired(1);
    world.sweeping.start();
    await world.sweeping.stop();
    world.expire(4);
    expect(await world.sweeping.runOnce()).toBe(4);
    world.expire(1);
    world.sweeping.start();
    await expect.poll(() => world.events.at(-1)).toEqual({ type: 'swept', expired: 1 });
    await world.sweeping.stop();
  });

  test('stopped without having been started, nothing happens', async () => {
    await expired(1).sweeping.stop();
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
])('options that would make it turn without rest are refused: %j', (options) => {
  expect(() => sweeper({} as RecordStore<unknown>, () => {}, options)).toThrow(TypeError);
});
