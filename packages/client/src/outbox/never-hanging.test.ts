import { expect, test } from 'vitest';
import { OutboxStorageError } from '../errors/outbox-storage-error.js';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, rejection, textStorage, watched, world } from '../testing/world.js';

const elsewhere = { name: 'OutcomeUnknownError', reason: 'elsewhere' };

/** An operation that nobody asks for, and somebody who waits for it. */
async function idle(it: ReturnType<typeof world>, outbox = it.open()) {
  it.script.push(() => lost);
  const error = await rejection(outbox.submit(call({ key: 'idle', retry: { maxAttempts: 1 } })));
  const waiting = watched(error.wait());
  await settled();
  expect(waiting.ended).toBe(false);
  return { outbox, waiting };
}

test('whoever waits for an operation that is parked, and dismissed, hears that nobody will tell', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => fails(409, { refusal: 'INDETERMINATE' }));
  await rejection(outbox.submit(call({ key: 'parked' })));
  const waiting = watched(outbox.wait('parked'));
  await settled();
  expect(waiting.ended).toBe(false);
  await outbox.dismiss('parked');
  await settled();
  expect(waiting.error).toMatchObject(elsewhere);
  expect((waiting.error as Error).message).not.toContain('it is kept');
});

test('whoever waits for an operation that a sign-out purges hears so, also in another tab', async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open(), browser.open()];
  const { waiting } = await idle(it, one!.outbox);
  await other!.outbox.list();
  const there = watched(other!.outbox.wait('idle'));
  await settled();
  await one!.outbox.signOut({ pending: 'purge' });
  await it.clock.advance(5_000);
  expect(waiting.error).toMatchObject(elsewhere);
  expect(there.error).toMatchObject(elsewhere);
});

test('an owner() that throws while another process may have changed something harms nothing', async () => {
  const it = world();
  let look: (news?: string) => void = () => {};
  let fails = false;
  const alone = textStorage(it.texts);
  const coordination = {
    shared: true,
    carries: false,
    hold: async () => ({ lost: false, release() {} }),
    tell() {},
    hear: (listener: (news: string | undefined) => void) => {
      look = listener;
      return () => {};
    },
  };
  const outbox = it.open({ storage: alone, coordination });
  Object.defineProperty(it, 'signedIn', {
    get() {
      if (fails) throw new Error('the session is being read');
      return 'ann';
    },
  });
  outbox.start();
  await settled();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  fails = true;
  look(undefined);
  await settled();
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  fails = false;
  expect(unhandled).toEqual([]);
  expect(await outbox.submit(call({ key: 'later' }))).toBe('done later');
  await outbox.close();
});

test('where what is behind a failure cannot be parked, its caller is not left waiting, and it stays in front of them', async () => {
  const it = world();
  const lane = 'cart:1';
  let isFull = false;
  const coordination = {
    shared: true,
    carries: true,
    async hold(name: string) {
      if (isFull && name.startsWith('lane')) throw new Error('the disk is full');
      return { lost: false, release() {} };
    },
    tell() {},
    hear: () => () => {},
  };
  const outbox = it.open({ coordination, onSettled: undefined });
  it.script.push(() => {
    isFull = true;
    return fails(409, { settlement: 'settled' });
  });
  const [a, b] = ['a', 'b'].map((key) => watched(outbox.submit(call({ key, lane }))));
  await it.clock.advance(1_000);
  expect(a?.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'interrupted', key: 'a' });
  expect(it.sent.map(({ key }) => key)).toEqual(['a']);
  isFull = false;
  const again = await rejection(outbox.resume('a'));
  expect(again).toMatchObject({ name: 'TRPCClientError' });
  await it.clock.advance(1_000);
  expect(it.sent.map(({ key }) => key)).toEqual(['a']);
  expect(b?.error).toMatchObject({ name: 'OperationParkedError' });
  await outbox.close();
});

test('a call whose storage never answers is left when its wait is over', async () => {
  const it = world();
  const set = () => new Promise<void>(() => {});
  const outbox = it.open({ storage: textStorage(it.texts, { set }) });
  const seen = watched(outbox.submit(call({ key: 'k', waitMs: 1_000 })));
  await it.clock.advance(1_000);
  expect(seen.ended).toBe(false);
  await it.clock.advance(30_000);
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'storage', mayHaveRun: false });
  expect((seen.error as Error).message).not.toContain('it is kept, and can be resumed');
  expect(it.sent).toEqual([]);
});

test('whoever left before storage has said whether it keeps an operation is told neither, and its refusal is told later', async () => {
  const it = world();
  const full = new Error('it is full');
  const set = () => new Promise<void>((_, reject) => void it.clock.after(20_000, () => reject(full)));
  const outbox = it.open({ storage: textStorage(it.texts, { set }) });
  const seen = watched(outbox.submit(call({ key: 'k', waitMs: 1_000 })));
  await it.clock.advance(15_000);
  expect(seen.error).toMatchObject({ reason: 'storage' });
  expect(it.events.filter(({ type }) => type === 'storage-failed')).toEqual([]);
  await it.clock.advance(10_000);
  expect(it.events.filter(({ type }) => type === 'storage-failed')).toMatchObject([
    { operation: { key: 'k' }, error: full },
  ]);
  expect([it.sent, it.texts.size]).toEqual([[], 0]);
});

test('a storage that says why it refuses is not waited for once more, to take back what it has not begun', async () => {
  const it = world();
  const set = () => Promise.reject(new OutboxStorageError('texts', 'in-use', 'others are changing it'));
  const never = () => new Promise<void>(() => {});
  const outbox = it.open({ storage: textStorage(it.texts, { set, delete: never }) });
  const seen = watched(outbox.submit(call({ key: 'k' })));
  await settled();
  expect(seen.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
  expect(outbox.snapshot()).toEqual([]);
});

test('what storage keeps after its caller has left is sent, and whoever waits for it hears', async () => {
  const it = world();
  const set = async (id: string, text: string) => {
    await new Promise<void>((resolve) => void it.clock.after(20_000, resolve));
    it.texts.set(id, text);
  };
  const outbox = it.open({ storage: textStorage(it.texts, { set }) });
  const error = watched(outbox.submit(call({ key: 'k', waitMs: 1_000 })));
  await it.clock.advance(15_000);
  const waiting = watched((error.error as { wait(): Promise<unknown> }).wait());
  await it.clock.advance(60_000);
  expect(waiting.data).toBe('done k');
  expect(it.events.filter(({ type }) => type === 'storage-failed')).toEqual([]);
});

test('a resume() from within onUnauthorized does not wait for what waits for it', async () => {
  const it = world();
  let outbox = it.open();
  outbox = it.open({
    async refresh() {
      expect(await outbox.resume()).toEqual({ settled: 0, pending: 1 });
      return true;
    },
  });
  it.script.push(() => fails(401));
  const seen = watched(outbox.submit(call({ key: 'k' })));
  await settled();
  expect(seen.data).toBe('done k');
});

test('a resume() from within onSettled does not wait for what waits for it', async () => {
  const it = world();
  const heard: string[] = [];
  const outbox = it.open({
    async onSettled({ key }) {
      expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
      heard.push(key);
    },
  });
  const late = () => new Promise<void>((resolve) => it.clock.after(5, resolve));
  it.script.push((_, commit) => late().then(commit));
  watched(outbox.submit(call({ key: 'a', waitMs: 0 })));
  await it.clock.advance(10);
  expect(heard).toEqual(['a']);
});

test('a call whose storage is never read says so, and nothing was sent', async () => {
  const it = world();
  const entries = () => new Promise<never>(() => {});
  const outbox = it.open({ storage: textStorage(it.texts, { entries }) });
  const seen = watched(outbox.submit(call({ intent: 'i', waitMs: 1_000 })));
  await it.clock.advance(30_000);
  expect(seen.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
});

test('a sign-out does not wait for an onSettled that hangs', async () => {
  const it = world();
  const outbox = it.open({ onSettled: () => new Promise(() => {}) });
  const late = () => new Promise<void>((resolve) => it.clock.after(5, resolve));
  it.script.push((_, commit) => late().then(commit));
  watched(outbox.submit(call({ key: 'k', waitMs: 0 })));
  await it.clock.advance(10);
  const report = watched(outbox.signOut({ pending: 'keep', waitMs: 1_000 }));
  await it.clock.advance(5_000);
  expect(report.data).toMatchObject({ undelivered: 1 });
});

test('a storage that hangs for one call of a lane or an intent hangs neither the next one nor close()', async () => {
  for (const one of [{ lane: 'cart:1' }, { intent: 'checkout:1' }]) {
    const it = world();
    const set = () => new Promise<void>(() => {});
    const outbox = it.open({ storage: textStorage(it.texts, { set }) });
    const first = watched(outbox.submit(call({ ...one, waitMs: 1_000 })));
    const second = watched(outbox.submit(call({ ...one, waitMs: 1_000 })));
    const leaving = new AbortController();
    const third = watched(outbox.submit(call({ ...one, signal: leaving.signal })));
    await settled();
    leaving.abort();
    await settled();
    const closing = watched(outbox.close());
    await it.clock.advance(60_000);
    expect([first.ended, second.ended, third.ended, closing.ended]).toEqual([true, true, true, true]);
    expect(it.sent).toEqual([]);
  }
});

test('whoever waits for a key that is used again, after its first operation was dismissed, waits for the new one', async () => {
  const it = world();
  const browser = new Browser(it);
  const { outbox } = browser.open();
  const indeterminate = () => fails(409, { refusal: 'INDETERMINATE' });
  it.script.push(indeterminate, indeterminate);
  await rejection(outbox.submit(call({ key: 'k' })));
  const former = watched(outbox.wait('k'));
  await settled();
  await outbox.dismiss('k');
  await rejection(outbox.submit(call({ key: 'k' })));
  const next = watched(outbox.wait('k'));
  await it.clock.advance(5_000);
  expect(former.error).toMatchObject(elsewhere);
  expect(next.ended).toBe(false);
  expect(await outbox.resume('k')).toBe('done k');
  await settled();
  expect(next.data).toBe('done k');
});

test('where the others cannot be told, a call is kept, its caller hears so, and its key can be asked for again', async () => {
  const it = world();
  let breaks = true;
  const coordination = {
    shared: true,
    carries: true,
    hold: async () => ({ lost: false, release() {} }),
    tell() {
      if (breaks) throw new Error('the channel is closed');
    },
    hear: () => () => {},
  };
  const outbox = it.open({ coordination });
  const seen = watched(outbox.submit(call({ key: 'k' })));
  await it.clock.advance(1_000);
  expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'interrupted' });
  const again = watched(outbox.resume('k'));
  await it.clock.advance(1_000);
  expect(again.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'interrupted', mayHaveRun: true });
  breaks = false;
  expect(await outbox.resume('k')).toBe('done k');
});
