import { expect, test } from 'vitest';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { textStorage } from '../../testing/world.js';
import type { Hold } from '../others/hold.js';
import { holdLease, LEASE_MS } from './lease.js';

function place() {
  const clock = new FakeClock();
  const texts = new Map<string, string>();
  const storage = textStorage(texts);
  const holds: Hold[] = [];
  const { signal } = new AbortController();
  const ask = () => {
    void holdLease(storage, clock, 'a', signal).then((hold) => holds.push(hold));
  };
  return { clock, texts, storage, holds, ask };
}

test('of many that ask at once exactly one has it, and the next after it was given back', async () => {
  const { clock, holds, ask, texts } = place();
  for (let n = 0; n < 5; n += 1) ask();
  await clock.advance(60_000);
  expect(holds.map(({ lost }) => lost)).toEqual([false]);
  for (let n = 1; n <= 5; n += 1) {
    expect(holds.length).toBe(n);
    holds.at(-1)!.release();
    await clock.advance(1_000);
  }
  expect([texts.size, clock.pending]).toEqual([0, 0]);
});

test('one whose heartbeat stopped loses it after its lease, knows it before anybody else has it, and cannot take it back', async () => {
  const { texts, holds, ask, clock } = place();
  // A process that was killed or frozen: its lease stays, and nothing renews it.
  texts.set('lease a', JSON.stringify([clock.now() + LEASE_MS, 'somebody']));
  ask();
  await clock.advance(LEASE_MS - 1_000);
  expect(holds.length).toBe(0);
  await clock.advance(2_000);
  expect(holds.length).toBe(1);
});

test('a holder that slept past its lease looks at the time, not at a timer', async () => {
  let now = 1_000;
  const silent = { now: () => now, after: () => () => {} };
  const hold = await holdLease(textStorage(new Map()), silent, 'a', new AbortController().signal);
  expect(hold.lost).toBe(false);
  now += LEASE_MS;
  expect(hold.lost).toBe(true);
});

test('a holder whose lease was taken over finds out at its next heartbeat', async () => {
  const { texts, holds, ask, clock } = place();
  ask();
  await settled();
  texts.set('lease a', JSON.stringify([clock.now() + LEASE_MS, 'somebody']));
  await clock.advance(LEASE_MS / 3 + 1);
  expect(holds[0]!.lost).toBe(true);
  holds[0]!.release();
  await settled();
  expect(texts.get('lease a')).toContain('somebody');
});

test('a lease that cannot be read is nobody’s', async () => {
  const { texts, holds, ask, clock } = place();
  texts.set('lease a', 'garbage');
  ask();
  await clock.advance(1_000);
  expect(holds.length).toBe(1);
});
