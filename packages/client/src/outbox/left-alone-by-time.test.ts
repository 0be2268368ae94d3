import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { giveUp, HOUR, IDLE_TIMERS, MINUTE, outage, rhythm, started } from '../testing/giving-up.js';
import {
  call,
  fails,
  lost,
  type OpenOptions,
  refused,
  type World,
  watched,
  world,
} from '../testing/world.js';

const forSomebody = [
  ['unauthorized', 'parked', () => fails(401)],
  ['indeterminate', 'parked', () => fails(409, { refusal: 'INDETERMINATE' })],
  ['declined', 'parked', () => fails(403)],
  ['expired', 'expired', () => fails(412, { refusal: 'KEY_EXPIRED' })],
] as const;

test.each(forSomebody)(
  'what is %s is never asked for by time, nor is what waits behind it in its lane',
  async (_, state, answer) => {
    const it = world();
    const outbox = started(it);
    it.script.push(() => lost, answer);
    const retry = { minDelayMs: 0, maxDelayMs: 0 };
    watched(outbox.submit(call({ key: '1 front', lane: 'cart:1', retry })));
    watched(outbox.submit(call({ key: '2 behind', lane: 'cart:1', retry })));
    await settled();
    outage(it, answer());
    await it.clock.advance(1_000);
    const sent = it.sent.length;
    await it.clock.advance(20 * HOUR);
    expect((await outbox.list()).map((one) => one.state)).toEqual([state, 'parked']);
    expect(it.sent.length).toBe(sent);
    expect(it.sent.every(({ key }) => key === '1 front')).toBe(true);
  },
);

test('a page that is shown asks nobody to sign in again for what waits behind in a lane either', async () => {
  const it = world();
  let show: () => void = () => {};
  const onWake: OpenOptions['onWake'] = (listener) => {
    show = () => listener('shown');
    return () => {};
  };
  const outbox = started(it, { onWake });
  outage(it, fails(401));
  watched(outbox.submit(call({ key: '1 front', lane: 'cart:1' })));
  watched(outbox.submit(call({ key: '2 behind', lane: 'cart:1' })));
  await it.clock.advance(1_000);
  const sent = it.sent.length;
  show();
  await it.clock.advance(1_000);
  expect(it.sent.length).toBe(sent);
});

test('a lane goes on in its order once its first is asked for', async () => {
  const it = world();
  const outbox = started(it);
  outage(it, refused);
  for (const key of ['a', 'b', 'c']) watched(outbox.submit(call({ key, lane: 'cart:1' })));
  await it.clock.advance(10 * MINUTE);
  it.script.length = 0;
  await it.clock.advance(15 * MINUTE);
  expect(it.effects).toEqual(['a', 'b', 'c']);
  expect(it.texts.size).toBe(0);
});

test('what is expired needs no timer', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(() => fails(412, { refusal: 'KEY_EXPIRED' }));
  await giveUp(it, outbox);
  expect(await outbox.list()).toMatchObject([{ state: 'expired' }]);
  expect(it.clock.pending).toBe(IDLE_TIMERS);
});

test('without a rhythm, and without a start, nothing is asked for by time', async () => {
  for (const open of [
    (it: World) => started(it, { rhythm: undefined as never }),
    (it: World) => it.open({ rhythm }),
  ]) {
    const it = world();
    const outbox = open(it);
    outage(it);
    await giveUp(it, outbox);
    await it.clock.advance(20 * HOUR);
    expect([it.sent.length, it.clock.pending]).toEqual([0, 0]);
  }
});

test('closing ends it', async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(() => fails(503, undefined, HOUR));
  await giveUp(it, outbox, { key: 'put off' });
  outage(it);
  await giveUp(it, outbox);
  expect(it.clock.pending).toBe(IDLE_TIMERS + 2);
  await outbox.close();
  expect(it.clock.pending).toBe(0);
  await it.clock.advance(HOUR);
  expect(it.sent).toEqual([]);
});

test('a sign-out stops it, and the next to sign in has it for theirs', async () => {
  const it = world();
  const outbox = started(it);
  outage(it);
  await giveUp(it, outbox);
  await outbox.signOut({ pending: 'keep' });
  expect(it.clock.pending).toBe(IDLE_TIMERS);
  await it.clock.advance(HOUR);
  expect(it.sent).toEqual([]);
  it.signedIn = 'ben';
  await giveUp(it, outbox, { key: 'his' });
  it.script.length = 0;
  await it.clock.advance(HOUR);
  expect(it.effects).toEqual(['his']);
});

test("case 46: nothing of another owner's is asked for by time, and it goes on when its owner is back", async () => {
  const it = world();
  const outbox = started(it);
  it.script.push(() => lost);
  await giveUp(it, outbox);
  it.signedIn = 'ben';
  await it.clock.advance(20 * HOUR);
  expect(it.sent).toEqual([]);
  it.signedIn = 'ann';
  await it.clock.advance(MINUTE);
  expect(it.told.length).toBe(1);
});

test('an app without the procedure writes nothing about it by time', async () => {
  const it = world();
  it.script.push(() => lost);
  await giveUp(it, it.open());
  const outbox = started(it, { knows: () => false });
  await settled();
  expect(await outbox.list()).toMatchObject([{ parked: 'path-gone' }]);
  const events = it.events.length;
  await it.clock.advance(20 * HOUR);
  expect(it.events.length).toBe(events);
});
