import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, lost, refused, rejection, textStorage, watched, world } from '../testing/world.js';

/** One of each kind of pending operation, and one attempt that is under way. */
async function busy() {
  const it = world();
  const outbox = it.open({ onSettled: () => Promise.reject(new Error('later')) });
  it.script.push(() => lost);
  watched(outbox.submit(call({ key: 'unknown', retry: { maxAttempts: 1 } })));
  await settled();
  it.script.push(() => refused);
  watched(outbox.submit(call({ key: 'unsent', retry: { maxAttempts: 1 } })));
  await settled();
  const late = () => new Promise<void>((resolve) => it.clock.after(5, resolve));
  it.script.push(() => late().then(() => fails(409, { settlement: 'settled' })));
  watched(outbox.submit(call({ key: 'undelivered', waitMs: 0 })));
  await it.clock.advance(10);
  it.script.push((_, commit) => new Promise((resolve) => (answer = () => resolve(commit()))));
  let answer: () => void = () => {};
  const flying = watched(outbox.submit(call({ key: 'flying' })));
  await settled();
  return { ...it, it, outbox, flying, answer: () => answer() };
}

test('a sign-out that keeps reports what is unknown, sends nothing more, and its owner finds it all again', async () => {
  const { it, outbox, flying } = await busy();
  const sent = it.sent.length;
  const report = watched(outbox.signOut({ pending: 'keep' }));
  await it.clock.advance(3_000);
  expect(report.data).toMatchObject({ owner: 'ann', pending: 'keep', unknown: 2, unsent: 1, undelivered: 1 });
  expect(flying.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'closed' });
  it.signedIn = 'ben';
  await outbox.resume();
  await it.clock.advance(200_000);
  expect(it.sent.length).toBe(sent);
  it.signedIn = 'ann';
  expect(await it.open().resume()).toEqual({ settled: 4, pending: 0 });
  expect(it.told.map(({ operation }) => operation.key).sort()).toEqual([
    'flying',
    'undelivered',
    'unknown',
    'unsent',
  ]);
});

test('an attempt under way has its time to bring the outcome', async () => {
  const { it, outbox, flying, answer } = await busy();
  const report = watched(outbox.signOut({ pending: 'keep' }));
  await it.clock.advance(1_000);
  answer();
  await settled();
  expect(flying.data).toBe('done flying');
  expect(report.data).toMatchObject({ unknown: 1 });
});

test('a sign-out that purges leaves nothing of its owner, and everything of the others', async () => {
  const { it, outbox } = await busy();
  it.signedIn = 'ben';
  it.script.push(() => lost);
  watched(outbox.submit(call({ key: 'bens', retry: { maxAttempts: 1 } })));
  await settled();
  it.signedIn = 'ann';
  const report = watched(outbox.signOut({ pending: 'purge', waitMs: 0 }));
  await it.clock.advance(1);
  expect(report.data).toMatchObject({ unknown: 2, unsent: 1, undelivered: 1 });
  expect([...it.texts.keys()]).toEqual(['["ben","bens"]']);
  expect(await outbox.list()).toEqual([]);
});

test('a purge takes along what is no operation any more: outcomes kept for other processes, and records that nobody can read', async () => {
  const it = world();
  const outbox = it.open({ coordination: amongProcesses(it) });
  await outbox.submit(call({ key: 'told', body: '{"pin":"1234"}' }));
  it.texts.set('["ann","damaged"]', '{"pin":"1234"');
  it.texts.set('["ben","damaged"]', '{"pin":"9876"');
  it.texts.set('left by somebody else', '?');
  expect([...it.texts.keys()]).toContain('["ann","told"]');
  await outbox.signOut({ pending: 'purge' });
  expect([...it.texts.values()].join()).not.toContain('1234');
  expect([...it.texts.keys()].filter((id) => !id.startsWith('lease'))).toEqual([
    '["ben","damaged"]',
    'left by somebody else',
  ]);
});

test('a storage that refuses the purge is told of, never passed over', async () => {
  const it = world();
  const outbox = it.open({
    storage: textStorage(it.texts, { delete: () => Promise.reject(new Error('disk gone')) }),
  });
  it.script.push(() => lost);
  watched(outbox.submit(call({ retry: { maxAttempts: 1 } })));
  await settled();
  expect(await rejection(outbox.signOut({ pending: 'purge' }))).toMatchObject({ message: 'disk gone' });
});

test('a call of the owner who is signing out is kept, and not sent before they are back', async () => {
  const { it, outbox } = await busy();
  const signingOut = outbox.signOut({ pending: 'keep' });
  const late = watched(outbox.submit(call({ key: 'late' })));
  await it.clock.advance(3_000);
  await signingOut;
  expect(late.error).toMatchObject({ name: 'OperationParkedError', reason: 'owner-changed' });
  expect(it.sent.some(({ key }) => key === 'late')).toBe(false);
});

test('an attempt whose end is not noted when a sign-out looks is unknown, and not surely unsent', async () => {
  const it = world();
  let isHeld = true;
  const coordination = {
    carries: true,
    hold: (name: string) =>
      isHeld || name.startsWith('key')
        ? Promise.resolve({
            get lost() {
              return !isHeld;
            },
            release() {},
          })
        : new Promise<never>(() => {}),
    tell() {},
    hear: () => () => {},
  };
  const outbox = it.open({ coordination });
  it.script.push((_, commit) => {
    isHeld = false;
    return commit();
  });
  watched(outbox.submit(call({ key: 'k' })));
  await settled();
  const report = watched(outbox.signOut({ pending: 'keep', waitMs: 100 }));
  await it.clock.advance(10_000);
  expect(report.data).toMatchObject({ unsent: 0 });
});

test('a call that has not entered when its owner signs out is not kept', async () => {
  const it = world();
  const texts = textStorage(it.texts);
  const entries = async () => {
    await new Promise<void>((resolve) => it.clock.after(100, resolve));
    return texts.entries();
  };
  const outbox = it.open({ storage: { ...texts, entries } });
  const entering = watched(outbox.submit(call({ intent: 'checkout:1' })));
  const report = watched(outbox.signOut({ pending: 'purge' }));
  it.signedIn = 'ben';
  await it.clock.advance(1_000);
  expect(report.ended).toBe(true);
  expect(entering.error).toMatchObject({ name: 'NotSentError', reason: 'owner-changed' });
  expect([it.texts.size, it.sent.length]).toEqual([0, 0]);
});
