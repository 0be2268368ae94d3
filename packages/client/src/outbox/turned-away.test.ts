import { expect, test } from 'vitest';
import { Bell } from '../attempts/bell.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, rejection, world } from '../testing/world.js';

const intent = 'checkout:1';

// A browser that had kept its connection sends a POST again by itself when that breaks. The first may have run, and the
// second be turned away by what stands in front of the claim: the answer to it says nothing of the first.

test('whoever means again what was turned away asks under the same key, so that what ran all the same is found', async () => {
  const { open, script, sent, effects } = world();
  script.push((_, commit) => {
    commit();
    return fails(403);
  });
  const outbox = open();
  expect(await rejection(outbox.submit(call({ intent })))).toMatchObject({ data: { httpStatus: 403 } });
  const keys: string[] = [];
  const done = await outbox.submit(call({ intent, onKey: (key) => keys.push(key) }));
  expect(done).toBe(`done ${sent[0]!.key}`);
  expect(effects).toEqual([sent[0]!.key]);
  expect(keys).toEqual([sent[0]!.key]);
});

test('so it does where nobody was told that it was turned away', async () => {
  const { open, script, sent, effects } = world();
  const answer = new Bell();
  script.push(async (_, commit) => {
    commit();
    await new Promise<void>((resolve) => answer.on(resolve));
    return fails(403);
  });
  const outbox = open({ onSettled: undefined });
  const leaving = new AbortController();
  const left = rejection(outbox.submit(call({ intent, signal: leaving.signal })));
  await settled();
  leaving.abort();
  expect(await left).toMatchObject({ name: 'OutcomeUnknownError', reason: 'aborted' });
  answer.ring();
  await settled();
  expect(await open({ onSettled: undefined }).submit(call({ intent }))).toBe(`done ${sent[0]!.key}`);
  expect(effects).toEqual([sent[0]!.key]);
});

test.each([
  ['another input', { body: '{"sku":"coffee"}' }],
  ['another intent', { intent: 'checkout:2' }],
  ['no intent', { intent: undefined }],
])('%s is meant anew, under a key of its own', async (_, change) => {
  const { open, script, sent } = world();
  script.push(() => fails(403));
  const outbox = open();
  await rejection(outbox.submit(call({ intent })));
  await outbox.submit(call({ intent, ...change }));
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
});

test('a key that the server will never take is not asked under again', async () => {
  const { open, script, sent } = world();
  script.push(() => fails(422, { refusal: 'FINGERPRINT_MISMATCH' }));
  const outbox = open();
  await rejection(outbox.submit(call({ intent })));
  await outbox.submit(call({ intent }));
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
});

test('past retention the server has forgotten the key, and it is meant anew', async () => {
  const { open, script, sent, clock } = world();
  script.push(() => fails(403));
  const outbox = open();
  await rejection(outbox.submit(call({ intent })));
  await clock.advance(86_400_000);
  await outbox.submit(call({ intent }));
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
});

test("another owner's intent of the same name is theirs", async () => {
  const it = world();
  it.script.push(() => fails(403));
  const outbox = it.open();
  await rejection(outbox.submit(call({ intent })));
  it.signedIn = 'bob';
  await outbox.submit(call({ intent }));
  expect(new Set(it.sent.map(({ key }) => key)).size).toBe(2);
});
