import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, lost, textStorage, watched, world } from '../testing/world.js';

const intent = 'checkout:1';

test('case 49: two calls of one tick with one intent are one operation, and both get its outcome', async () => {
  const { open, sent, effects } = world();
  const outbox = open();
  const keys: string[] = [];
  const onKey = (key: string) => keys.push(key);
  const [one, other] = await Promise.all([
    outbox.submit(call({ intent, onKey })),
    outbox.submit(call({ intent, onKey, body: '{"quantity":1,"sku":"tea"}' })),
  ]);
  expect(one).toBe(other);
  expect(sent.length).toBe(1);
  expect(effects).toEqual([sent[0]!.key]);
  expect(keys).toEqual([sent[0]!.key, sent[0]!.key]);
});

test('calls without an intent are operations of their own, however alike', async () => {
  const { open, effects } = world();
  const outbox = open();
  await Promise.all([outbox.submit(call()), outbox.submit(call())]);
  expect(effects.length).toBe(2);
});

test('a call joins a pending operation during its backoff, and after a reload', async () => {
  const { open, script, sent, clock, effects } = world();
  script.push(() => lost);
  const outbox = open();
  const first = watched(outbox.submit(call({ intent, retry: { minDelayMs: 10_000, maxDelayMs: 10_000 } })));
  await settled();
  const second = watched(outbox.submit(call({ intent })));
  await settled();
  const afterReload = watched(open().submit(call({ intent })));
  await clock.advance(20_000);
  expect([first.data, second.data, afterReload.data]).toEqual(Array(3).fill(`done ${sent[0]!.key}`));
  expect(effects).toEqual([sent[0]!.key]);
});

test('case 48: the same intent with an edited form is a conflict, and nothing is sent for it', async () => {
  const { open, script, sent, clock } = world();
  script.push(() => lost);
  const outbox = open();
  const first = watched(outbox.submit(call({ intent })));
  await settled();
  for (const edited of [
    call({ intent, body: '{"sku":"tea","quantity":2}' }),
    call({ intent, path: 'orders.cancel' }),
    call({ intent, key: 'mine' }),
  ])
    await expect(outbox.submit(edited)).rejects.toMatchObject({
      name: 'IntentConflictError',
      key: sent[0]!.key,
      intent,
    });
  await expect(open().submit(call({ intent, body: null }))).rejects.toMatchObject({
    name: 'IntentConflictError',
  });
  await clock.advance(10_000);
  expect(first.data).toContain('done');
  expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
});

test('an intent is free again in the very next line after its outcome', async () => {
  const { open, effects, sent } = world();
  const outbox = open();
  const first = await outbox.submit(call({ intent }));
  const second = await outbox.submit(call({ intent, body: '{"sku":"coffee"}' }));
  expect(first).not.toBe(second);
  expect(effects).toEqual(sent.map(({ key }) => key));
  expect(effects.length).toBe(2);
});

test('two owners never meet in an intent, nor in a key', async () => {
  const it = world();
  it.script.push(...Array(8).fill(() => lost));
  const outbox = it.open();
  const ann = watched(outbox.submit(call({ intent, key: 'same' })));
  await it.clock.advance(200_000);
  expect(ann.error).toMatchObject({ name: 'OutcomeUnknownError' });
  it.signedIn = 'ben';
  expect(await outbox.submit(call({ intent, key: 'same', body: '{"sku":"ben"}' }))).toBe('done same');
  expect(it.sent.at(-1)!.body).toBe('{"sku":"ben"}');
  it.signedIn = 'ann';
  expect((await outbox.list()).map(({ body }) => body)).toEqual(['{"sku":"tea","quantity":1}']);
});

test("a caller's own key joins its pending operation, also after a reload, and conflicts with another input", async () => {
  const { open, script, sent, clock, effects } = world();
  script.push(
    () => lost,
    () => lost,
  );
  const first = watched(open().submit(call({ key: 'mine' })));
  await settled();
  const reloaded = open();
  const second = watched(reloaded.submit(call({ key: 'mine' })));
  await expect(reloaded.submit(call({ key: 'mine', body: '1' }))).rejects.toMatchObject({
    name: 'IntentConflictError',
    intent: undefined,
  });
  await clock.advance(10_000);
  expect([first.data, second.data]).toEqual(['done mine', 'done mine']);
  expect(new Set(sent.map(({ key }) => key))).toEqual(new Set(['mine']));
  expect(effects).toEqual(['mine']);
});

test('a key can be used again right after its outcome, though its removal is still under way', async () => {
  const { open, texts, clock, script } = world();
  const slow = async (id: string) => {
    await settled();
    texts.delete(id);
  };
  const outbox = open({ storage: textStorage(texts, { delete: slow }) });
  expect(await outbox.submit(call({ key: 'mine' }))).toBe('done mine');
  script.push(() => lost);
  const again = watched(outbox.submit(call({ key: 'mine' })));
  await settled();
  await settled();
  expect(texts.size).toBe(1);
  await clock.advance(10_000);
  expect(again.data).toBe('done mine');
});

test('a joined call goes on waiting for its own time, after the first caller gave up', async () => {
  const { open, script, clock } = world();
  script.push(...Array(40).fill(() => lost));
  const retry = { maxAttempts: 100, maxDelayMs: 2_000 };
  const outbox = open();
  const first = watched(outbox.submit(call({ intent, retry, waitMs: 10_000 })));
  const second = watched(outbox.submit(call({ intent, retry, waitMs: 200_000 })));
  await clock.advance(10_000);
  expect(first.error).toMatchObject({ reason: 'wait-over' });
  await clock.advance(180_000);
  expect(second.data).toContain('done');
});

test('an intent whose record cannot be read makes no second operation', async () => {
  const it = world();
  it.script.push(() => lost);
  watched(it.open().submit(call({ intent, retry: { maxAttempts: 1 } })));
  await settled();
  const [[id, text]] = [...it.texts] as [[string, string]];
  it.texts.set(id, text.replace('"version":1', '"version":2'));
  const outbox = it.open();
  await expect(outbox.submit(call({ intent }))).rejects.toMatchObject({
    name: 'NotSentError',
    reason: 'storage',
  });
  expect(await outbox.submit(call({ intent: 'checkout:2' }))).toContain('done');
});

test('an outcome that nobody was handed is kept for its intent, however long; a new call hears it, and is no second operation', async () => {
  const it = world();
  const first = it.open({ onSettled: undefined });
  const late = () => new Promise<void>((resolve) => it.clock.after(5, resolve));
  it.script.push((_, commit) => late().then(commit));
  watched(first.submit(call({ key: 'k', intent, waitMs: 0 })));
  await it.clock.advance(10);
  await it.clock.advance(3 * 86_400_000);
  const later = it.open({ onSettled: undefined });
  await later.resume();
  expect(await later.submit(call({ intent }))).toBe('done k');
  expect(it.effects).toEqual(['k']);
});

test('a call that is refused while an operation of its intent is kept is told that its outcome is not known', async () => {
  const it = world();
  let isBroken = false;
  const texts = textStorage(it.texts);
  const entries = () => (isBroken ? Promise.reject(new Error('the disk is gone')) : texts.entries());
  const outbox = it.open({ storage: { ...texts, entries } });
  it.script.push(() => lost);
  watched(outbox.submit(call({ key: 'k', intent, retry: { maxAttempts: 1 } })));
  await settled();
  isBroken = true;
  const unknown = { name: 'OutcomeUnknownError', key: 'k' };
  await expect(outbox.submit(call({ intent }))).rejects.toMatchObject({ ...unknown, reason: 'interrupted' });
  await expect(outbox.submit(call({ intent, body: null }))).rejects.toMatchObject({
    name: 'IntentConflictError',
    key: 'k',
  });
  await outbox.close();
  await expect(outbox.submit(call({ intent }))).rejects.toMatchObject({ ...unknown, reason: 'closed' });
  await expect(outbox.submit(call({ intent: 'another' }))).rejects.toMatchObject({ name: 'NotSentError' });
});
