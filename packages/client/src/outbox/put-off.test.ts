import { expect, test } from 'vitest';
import { giveUp, HOUR, MINUTE, outage, started } from '../testing/giving-up.js';
import { fails, lost, world } from '../testing/world.js';

test('what the server put off after it was asked for in vain is asked for soon after its time as well', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  await giveUp(it, outbox);
  await it.clock.advance(2 * HOUR);
  it.script.length = 0;
  it.script.push(() => fails(503, undefined, HOUR));
  await it.clock.advance(15 * MINUTE);
  const { notBefore = 0 } = (await outbox.list())[0]!;
  await it.clock.advance(notBefore - it.clock.now() + MINUTE);
  expect(it.told.length).toBe(1);
});

test('what is put off takes no place among those that are asked for in vain', async () => {
  const it = world();
  const outbox = started(it);
  await giveUp(it, outbox, { key: 'broken', path: 'broken' });
  it.script.push(...Array(5).fill(() => fails(503, undefined, 10 * HOUR)));
  for (let n = 0; n < 5; n += 1) await giveUp(it, outbox, { key: `later-${n}` });
  outage(it);
  await giveUp(it, outbox);
  await it.clock.advance(HOUR);
  expect(it.sent.length).toBeGreaterThan(4);
  expect(new Set(it.sent.map(({ key }) => key))).toEqual(new Set(['spent']));
});

test('what the server put off is asked for when that time is over, and not all of it in the same moment', async () => {
  const it = world();
  const outbox = started(it);
  const hours = 30 * 24 * HOUR;
  it.script.push(() => fails(503, undefined, hours));
  await giveUp(it, outbox, { retentionMs: 2 * hours });
  expect(await outbox.list()).toMatchObject([{ parked: 'retry-later' }]);
  // That is further off than a timer reaches.
  await it.clock.advance(hours);
  expect(it.sent).toEqual([]);
  await it.clock.advance(MINUTE);
  expect(it.sent.length).toBe(1);
  expect(it.told.length).toBe(1);
});

test('what was put off before a reload is asked for at its time after it', async () => {
  const it = world();
  it.script.push(() => fails(503, undefined, HOUR));
  await giveUp(it, it.open());
  await it.clock.advance(HOUR / 2);
  started(it);
  await it.clock.advance(HOUR / 2);
  expect(it.sent).toEqual([]);
  await it.clock.advance(MINUTE);
  expect(it.told.length).toBe(1);
});

test.each([
  ['spent', lost],
  ['put off', fails(503, undefined, HOUR)],
])(
  'a clock that is set back by years delays what was %s by no more than it had to wait',
  async (_, evidence) => {
    const it = world();
    const outbox = started(it);
    it.script.push(() => evidence);
    await giveUp(it, outbox);
    it.clock.setBack(10 * 365 * 24 * HOUR);
    await it.clock.advance(2 * HOUR + 3 * MINUTE);
    expect(it.told.length).toBe(1);
  },
);

test('a clock that runs ahead and is put right before a reload holds nothing up for longer', async () => {
  const it = world();
  it.script.push(() => fails(503, undefined, HOUR));
  await giveUp(it, it.open());
  it.clock.setBack(10 * 365 * 24 * HOUR);
  started(it);
  await it.clock.advance(HOUR + MINUTE);
  expect(it.told.length).toBe(1);
});
