import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Probe, RecordStore, StoredRecord } from '../records/record-store.js';
import { findOut } from './find-out.js';

const id = { scope: '["ann"]', key: 'k1' };
const record: StoredRecord = {
  fingerprint: '1.a',
  status: 'COMPLETED',
  outcome: { status: 'COMPLETED', body: '1' },
  leftMs: 1_000,
};

/** Records whose probes end as told, one after the other; the last way goes on. */
function probing(...ways: (Probe | 'fail' | 'hang')[]) {
  const probed: unknown[] = [];
  const records = {
    probe(asked: unknown) {
      probed.push(asked);
      const way = ways.length > 1 ? ways.shift() : ways[0];
      if (way === 'hang') return new Promise<Probe>(() => {});
      return way === 'fail' ? Promise.reject(new Error('gone')) : Promise.resolve(way as Probe);
    },
  } as unknown as RecordStore<unknown>;
  return { records, probed };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what the first probe finds is the truth', async () => {
  const { records, probed } = probing({ kind: 'found', record });
  expect(await findOut(records, id, { withinMs: 5_000 })).toEqual({ kind: 'found', record });
  expect(probed).toEqual([id]);
});

test('a probe that fails proves nothing: it asks again until one answers', async () => {
  const { records, probed } = probing('fail', 'fail', 'fail', { kind: 'absent' });
  const asking = findOut(records, id, { withinMs: 5_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await asking).toEqual({ kind: 'absent' });
  expect(probed).toHaveLength(4);
});

test('while the old transaction still holds the operation, a missing record proves nothing', async () => {
  const { records } = probing({ kind: 'busy' }, { kind: 'busy' }, { kind: 'found', record });
  const asking = findOut(records, id, { withinMs: 5_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await asking).toEqual({ kind: 'found', record });
});

test.each<[string, Probe | 'fail' | 'hang']>([
  ['the operation stays held', { kind: 'busy' }],
  ['every probe fails', 'fail'],
  ['a probe never ends', 'hang'],
])('when time is up it says that nobody knows, in time, and guesses nothing: %s', async (_, way) => {
  const { records } = probing(way);
  let said: unknown = 'nothing yet';
  void findOut(records, id, { withinMs: 5_000 }).then((truth) => {
    said = truth;
  });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(said).toBe('nothing yet');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(said).toBeUndefined();
});

test('it asks ever more rarely, and at least twice a second', async () => {
  const { records, probed } = probing('fail');
  void findOut(records, id, { withinMs: 60_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  const soon = probed.length;
  expect(soon).toBeLessThanOrEqual(8);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probed.length - soon).toBe(20);
});
