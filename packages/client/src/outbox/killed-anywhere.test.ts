import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, lost, textStorage, type World, watched, world } from '../testing/world.js';

/** Where a process can die around one of its awaits: before the other side has done it, or before hearing that it has. */
type Moment = 'before' | 'after';

/**
 * A process that stops at its `nth` touch of storage or network, as kill -9 does: what it began there is done or not, and
 * it never does anything again.
 */
function dying(it: World, nth: number, moment: Moment) {
  let touches = 0;
  let dead = false;
  const never = new Promise<never>(() => {});
  const touch = async <T>(act: () => Promise<T> | T): Promise<T> => {
    if (dead) return never;
    touches += 1;
    if (touches !== nth) return act();
    dead = true;
    if (moment === 'after') await act();
    return never;
  };
  const { entries, set, delete: remove } = textStorage(it.texts);
  const storage = textStorage(it.texts, {
    entries: () => touch(entries),
    set: (id, text) => touch(() => set(id, text)),
    delete: (id) => touch(() => remove(id)),
  });
  for (let n = 0; n < 3; n += 1)
    it.script.push((_, commit) => touch(() => (n === 0 ? loseAfter(commit) : commit())));
  return { storage, isDead: () => dead };
}

function loseAfter(commit: () => unknown) {
  commit();
  return lost;
}

test('killed at any await, the record is there before or the outcome after, never neither, and the effect once', async () => {
  let deaths = 0;
  for (const moment of ['before', 'after'] as const) {
    for (let nth = 1; nth < 20; nth += 1) {
      const it = world();
      const { storage, isDead } = dying(it, nth, moment);
      const told: unknown[] = [];
      const onSettled = () => void told.push(1);
      const seen = watched(it.open({ storage, onSettled }).submit(call({ intent: 'checkout:1' })));
      await it.clock.advance(60_000);
      if (!isDead()) {
        expect(seen.data).toBeDefined();
        continue;
      }
      deaths += 1;
      const where = `${moment} touch ${nth}`;
      const heard = seen.data !== undefined;
      const kept = it.texts.size === 1;
      if (it.effects.length > 0) expect(heard || kept, where).toBe(true);
      it.script.length = 0;
      await it.open().resume();
      await settled();
      expect(it.effects.length, where).toBe(kept || heard ? 1 : 0);
      expect(heard || it.told.length === 1 || it.effects.length === 0, where).toBe(true);
      expect(it.texts.size, where).toBe(0);
      expect(new Set(it.sent.map(({ key, body }) => `${key} ${body}`)).size, where).toBeLessThanOrEqual(1);
    }
  }
  // Read, insert, send, store the wait, send, store the outcome, remove: each died at, twice.
  expect(deaths).toBe(14);
});
