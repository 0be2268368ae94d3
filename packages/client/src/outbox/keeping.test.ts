import { expect, test } from 'vitest';
import { OutboxStorageError } from '../errors/outbox-storage-error.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, rejection, textStorage, watched, world } from '../testing/world.js';

test('the record is in storage before the first byte leaves', async () => {
  const { open, sent, texts } = world();
  let stored: () => void = () => {};
  const set = (id: string, text: string) =>
    new Promise<void>((resolve) => {
      stored = () => {
        texts.set(id, text);
        resolve();
      };
    });
  const seen = watched(open({ storage: textStorage(texts, { set }) }).submit(call()));
  await settled();
  expect(sent).toEqual([]);
  stored();
  await settled();
  expect(sent.length).toBe(1);
  expect([...texts.values()][0]).toContain(sent[0]!.key);
  stored();
  await settled();
  expect(seen.data).toBe(`done ${sent[0]!.key}`);
});

test('key, path and body are the same in every attempt, and the age counts from the first', async () => {
  const { open, sent, script, clock } = world();
  script.push(
    () => lost,
    () => lost,
    () => lost,
  );
  const seen = watched(open().submit(call()));
  await clock.advance(60_000);
  expect(seen.ended).toBe(true);
  expect(sent.length).toBe(4);
  expect(new Set(sent.map(({ key, path, body }) => `${key} ${path} ${body}`)).size).toBe(1);
  expect(sent.map(({ ageMs }) => ageMs)).toEqual([0, 150, 450, 1_050]);
});

test('an outcome that was handed over leaves nothing behind', async () => {
  const { open, texts, clock } = world();
  const outbox = open();
  await outbox.submit(call());
  await clock.advance(0);
  expect(texts.size).toBe(0);
  expect(await outbox.list()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('case 52: when storage refuses, nothing was sent and nothing is half done', async () => {
  const { open, sent, texts } = world();
  const full = new OutboxStorageError('texts', 'quota', 'it is full');
  const outbox = open({ storage: textStorage(texts, { set: () => Promise.reject(full) }) });
  const error = await rejection(outbox.submit(call()));
  expect(error).toMatchObject({ name: 'NotSentError', reason: 'storage', cause: full });
  expect(sent).toEqual([]);
  expect(texts.size).toBe(0);
  expect(await outbox.list()).toEqual([]);
});

test('case 52: a refused write that arrived all the same is taken back, or it would be sent after a reload', async () => {
  const { open, sent, texts } = world();
  const set = async (id: string, text: string) => {
    texts.set(id, text);
    throw new OutboxStorageError('texts', 'failed', 'the flush failed');
  };
  await expect(open({ storage: textStorage(texts, { set }) }).submit(call())).rejects.toMatchObject({
    reason: 'storage',
  });
  await settled();
  await open().resume();
  expect(sent).toEqual([]);
});

test('case 52: a storage that cannot be read refuses a call with an intent before anything is stored', async () => {
  const { open, sent, texts } = world();
  const blocked = new OutboxStorageError('texts', 'unavailable', 'private mode');
  const outbox = open({ storage: textStorage(texts, { entries: () => Promise.reject(blocked) }) });
  await expect(outbox.submit(call({ intent: 'checkout:1' }))).rejects.toMatchObject({
    name: 'NotSentError',
    cause: blocked,
  });
  await expect(outbox.list()).rejects.toBe(blocked);
  expect([sent.length, texts.size]).toEqual([0, 0]);
});

test('everybody who joined a call hears that it could not be stored', async () => {
  const { open, texts } = world();
  const outbox = open({ storage: textStorage(texts, { set: () => Promise.reject(new Error('no')) }) });
  const both = [call({ intent: 'checkout:1' }), call({ intent: 'checkout:1' })].map((one) =>
    outbox.submit(one).catch((error) => error),
  );
  const [first, second] = await Promise.all(both);
  expect(first).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  expect(second).toMatchObject({ name: 'NotSentError', key: (first as { key: string }).key });
});

test("case 53: a body above the storage's row limit is refused before sending", async () => {
  const { open, sent, texts } = world();
  const set = async (id: string, text: string) => {
    if (text.length > 2_000) throw new OutboxStorageError('texts', 'too-large', 'at most 2000 characters');
    texts.set(id, text);
  };
  const outbox = open({ storage: textStorage(texts, { set }) });
  const error = await outbox
    .submit(call({ body: JSON.stringify('x'.repeat(2_000)) }))
    .catch((error) => error);
  expect(error).toMatchObject({ name: 'NotSentError', reason: 'too-large' });
  expect([sent.length, texts.size]).toEqual([0, 0]);
  expect(await outbox.submit(call())).toContain('done');
});

test('a storage that fails later changes nothing but what is told', async () => {
  const { open, script, texts, clock, events } = world();
  let writes = 0;
  const set = async (id: string, text: string) => {
    writes += 1;
    if (writes > 1) throw new Error('disk gone');
    texts.set(id, text);
  };
  script.push(() => lost);
  const seen = watched(open({ storage: textStorage(texts, { set }) }).submit(call()));
  await clock.advance(10_000);
  expect(seen.data).toContain('done');
  expect(events.filter(({ type }) => type === 'storage-failed').length).toBe(2);
});

test('an operation that cannot be removed from storage is not found again by this process', async () => {
  const { open, texts, sent, told } = world();
  const outbox = open({ storage: textStorage(texts, { delete: () => Promise.reject(new Error('no')) }) });
  await outbox.submit(call());
  await settled();
  expect(texts.size).toBe(1);
  expect(await outbox.list()).toEqual([]);
  await outbox.resume();
  expect([sent.length, told.length]).toEqual([1, 0]);
});

test('case 43: a corrupt record is set aside where it is, and the rest run', async () => {
  const { open, texts, sent, script, clock, effects } = world();
  script.push(...Array(16).fill(() => lost));
  const first = open();
  const calls = [call(), call()].map((one) => watched(first.submit(one)));
  await clock.advance(200_000);
  expect(calls.every(({ error }) => (error as Error).name === 'OutcomeUnknownError')).toBe(true);
  texts.set('["ann","key-cut"]', [...texts.values()][0]!.slice(0, 50));
  texts.set('["ann","key-newer"]', '{"version":2}');
  sent.length = 0;
  const outbox = open();
  expect(await outbox.resume()).toEqual({ settled: 2, pending: 0 });
  expect(effects.length).toBe(2);
  expect(
    outbox
      .damaged()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['["ann","key-cut"]', '["ann","key-newer"]']);
  expect(texts.size).toBe(2);
});

test('a record that a newer version wrote is not written over by a call with its key, and nothing is sent', async () => {
  const it = world();
  const newer = JSON.stringify({ version: 2, key: 'mine', owner: 'ann', state: 'somewhere new' });
  it.texts.set('["ann","mine"]', newer);
  const outbox = it.open();
  expect(await rejection(outbox.submit(call({ key: 'mine' })))).toMatchObject({
    name: 'NotSentError',
    reason: 'storage',
    message: expect.stringContaining('outbox.damaged()'),
  });
  expect([it.texts.get('["ann","mine"]'), it.sent]).toEqual([newer, []]);
  expect(outbox.damaged().map(({ reason }) => reason)).toEqual(['has version 2, not 1']);
});

test("case 43: another owner's corrupt record is not shown, and what names nobody is", async () => {
  const it = world();
  it.texts.set('["ben","key-cut"]', '{"version":1,"key":"key-cut","owner":"ben","body":"4111');
  it.texts.set('theme', 'dark');
  const outbox = it.open();
  await outbox.list();
  expect(outbox.damaged().map(({ id }) => id)).toEqual(['theme']);
  it.signedIn = 'ben';
  expect(outbox.damaged().map(({ id }) => id)).toEqual(['["ben","key-cut"]', 'theme']);
});

test('a change by another process is seen at the next look, and its removal too', async () => {
  const { open, texts, script, clock } = world();
  script.push(...Array(8).fill(() => lost));
  const one = open();
  const other = open();
  const seen = watched(one.submit(call()));
  await clock.advance(200_000);
  expect(seen.error).toMatchObject({ reason: 'attempts-spent' });
  expect((await other.list()).length).toBe(1);
  texts.clear();
  expect(await one.list()).toEqual([]);
  expect(await other.list()).toEqual([]);
});

test('an operation whose removal overtakes a reading of the storage does not come back', async () => {
  const { open, texts, sent } = world();
  const gates: Record<string, () => void> = {};
  const gate = (name: string) =>
    new Promise<void>((resolve) => {
      gates[name] = resolve;
    });
  const outbox = open({
    storage: textStorage(texts, {
      async entries() {
        const found = [...texts].map(([id, text]) => ({ id, text }));
        await gate('entries');
        return found;
      },
      async delete(id) {
        await gate('delete');
        texts.delete(id);
      },
    }),
  });
  await outbox.submit(call());
  const listed = watched(outbox.list());
  await settled();
  gates['delete']!();
  await settled();
  gates['entries']!();
  await settled();
  expect(listed.data).toEqual([]);
  const resumed = watched(outbox.resume());
  await settled();
  gates['entries']!();
  await settled();
  expect(resumed.data).toEqual({ settled: 0, pending: 0 });
  expect(sent.length).toBe(1);
});

test('a write that was refused and arrived all the same, and cannot be taken back, is kept: nobody is told that nothing was sent', async () => {
  const it = world();
  const storage = textStorage(it.texts, {
    async set(id, text) {
      it.texts.set(id, text);
      throw new Error('refused, it says');
    },
    delete: () => Promise.reject(new Error('refused as well')),
  });
  expect(await it.open({ storage }).submit(call({ key: 'k' }))).toBe('done k');
});

test('where storage takes nothing back and tells nothing, the outcome is unknown, and not "nothing was sent"', async () => {
  const it = world();
  const dead = () => Promise.reject(new Error('the disk is gone'));
  const storage = textStorage(it.texts, { set: dead, get: dead, delete: dead });
  const outbox = it.open({ storage });
  const error = await rejection(outbox.submit(call({ key: 'k' })));
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'storage' });
  expect(it.sent).toEqual([]);
  expect(outbox.snapshot()).toMatchObject([{ key: 'k', state: 'persisted' }]);
});
