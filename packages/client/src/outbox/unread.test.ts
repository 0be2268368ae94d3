import { expect, test } from 'vitest';
import { giveUp, started } from '../testing/giving-up.js';
import { amongProcesses } from '../testing/processes.js';
import { call, lost, rejection, textStorage, watched, world } from '../testing/world.js';
import type { StoredEntry } from './store/storage.js';

/** What a former process left, in a storage that cannot read it for now. */
async function unreadWorld(named: boolean) {
  const it = world();
  it.script.push(() => lost);
  const former = it.open();
  const key = await giveUp(it, former);
  await former.close();
  const unread = { isSo: true };
  const texts = textStorage(it.texts);
  const hidden = ({ id, text }: StoredEntry): StoredEntry =>
    unread.isSo && id.includes(key)
      ? { id: named ? id : 'a-file', text: undefined, unread: true }
      : { id, text };
  const storage = textStorage(it.texts, { entries: async () => (await texts.entries()).map(hidden) });
  return { it, key, storage, unread };
}

test.each([true, false])(
  'while a record cannot be read nobody knows what it is: calls with an intent are refused, others are not',
  async (named) => {
    const { it, storage } = await unreadWorld(named);
    const outbox = it.open({ storage });
    const refused = await rejection(outbox.submit(call({ key: 'second', intent: 'any' })));
    expect(refused).toMatchObject({ name: 'NotSentError', reason: 'storage' });
    expect(it.sent).toEqual([]);
    expect(outbox.damaged()).toMatchObject([{ unread: true, reason: 'cannot be read' }]);
    expect(await outbox.submit(call({ key: 'without' }))).toBe('done without');
  },
);

test('what can be read again is asked for by time as soon as somebody has read it, alone and among processes', async () => {
  for (const isShared of [false, true]) {
    const { it, key, storage, unread } = await unreadWorld(false);
    const outbox = started(it, { storage, ...(isShared && { coordination: amongProcesses(it) }) });
    await it.clock.advance(60_000);
    expect(it.sent).toEqual([]);
    unread.isSo = false;
    await outbox.list();
    await it.clock.advance(60_000);
    expect(it.told.map(({ operation }) => operation.key)).toEqual([key]);
    const closed = watched(outbox.close());
    await it.clock.advance(1_000);
    expect(closed.ended).toBe(true);
  }
});
