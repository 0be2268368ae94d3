import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, lost, rejection, world } from '../testing/world.js';

test('a call that is meant for somebody else is left to them while it is kept, and nothing is sent', async () => {
  const it = world();
  it.script.push(() => lost);
  const outbox = it.open();
  const first = rejection(outbox.submit(call({ key: 'k', retry: { maxAttempts: 1 } })));
  expect(await first).toMatchObject({ name: 'OutcomeUnknownError' });
  it.signedIn = 'bob';
  const again = await rejection(it.open().submit(call({ key: 'k', owner: 'ann' })));
  expect(again).toMatchObject({ name: 'OperationParkedError', reason: 'owner-changed', key: 'k' });
  await settled();
  expect(it.sent.length).toBe(1);
  it.signedIn = 'ann';
  expect(await outbox.submit(call({ key: 'k', owner: 'ann' }))).toBe('done k');
  expect(it.effects).toEqual(['k']);
});

test('of a key that its owner may have been told of already nobody says that nothing was sent', async () => {
  const it = world();
  const outbox = it.open();
  await outbox.submit(call({ key: 'k' }));
  it.signedIn = null;
  const again = await rejection(outbox.submit(call({ key: 'k', owner: 'ann' })));
  expect(again).toMatchObject({ name: 'OutcomeUnknownError', reason: 'elsewhere', mayHaveRun: true });
  expect(it.sent.length).toBe(1);
});

test('one without a key has certainly not been sent', async () => {
  const it = world();
  const refusal = await rejection(it.open().submit(call({ owner: 'bob', intent: 'checkout:1' })));
  expect(refusal).toMatchObject({ name: 'NotSentError', reason: 'owner-changed' });
  expect(it.sent).toEqual([]);
  expect(it.texts.size).toBe(0);
});
