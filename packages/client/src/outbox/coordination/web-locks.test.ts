import { expect, test } from 'vitest';
import { settled } from '../../testing/fake-clock.js';
import type { Hold } from '../others/hold.js';
import { webLocks } from './web-locks.js';

/** Web Locks as the browser keeps them: a queue for each name, left by an abort. */
function lockManager() {
  const tails = new Map<string, Promise<unknown>>();
  const request = async (name: string, { signal }: LockOptions, taken: () => Promise<void>) => {
    const before = tails.get(name);
    let free = () => {};
    tails.set(
      name,
      new Promise<void>((resolve) => {
        free = resolve;
      }),
    );
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
    try {
      await Promise.race([before, aborted]);
      await taken();
    } finally {
      void Promise.resolve(before).then(free);
    }
  };
  return { request } as unknown as Pick<LockManager, 'request'>;
}

const { signal } = new AbortController();

test('one at a time has a name, in the order of asking; whoever stops waiting is passed over', async () => {
  const tab = webLocks('outbox', lockManager());
  const order: string[] = [];
  const first = await tab.hold('a', signal);
  const leaving = new AbortController();
  const left = tab.hold('a', leaving.signal);
  const third = tab.hold('a', signal).then((hold) => {
    order.push('third');
    return hold;
  });
  await (await tab.hold('b', signal)).release();
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await settled();
  expect(order).toEqual([]);
  first.release();
  (await third).release();
  expect(order).toEqual(['third']);
});

test('a page that is frozen gives up what it holds, and finds out when it wakes', async () => {
  const page = new EventTarget();
  Object.defineProperty(globalThis, 'document', { value: page, configurable: true });
  try {
    const locks = lockManager();
    const sleeper = webLocks('outbox', locks);
    const hold = await sleeper.hold('a', signal);
    let other: Hold | undefined;
    void webLocks('outbox', locks)
      .hold('a', signal)
      .then((taken) => {
        other = taken;
      });
    await settled();
    expect([hold.lost, other]).toEqual([false, undefined]);
    page.dispatchEvent(new Event('freeze'));
    await settled();
    expect([hold.lost, other?.lost]).toEqual([true, false]);
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});

test('news reach the other tabs of the same outbox, and nobody else', async () => {
  const tabs = ['one', 'one', 'two'].map((name) => webLocks(`news ${name}`, lockManager()));
  const heard: string[] = [];
  const ends = tabs.map((tab, n) => tab.hear((news) => heard.push(`${n} ${news}`)));
  const arrived = new Promise((resolve) => ends.push(tabs[1]!.hear((news) => news === 'last' && resolve(0))));
  for (const news of ['first', 'last']) tabs[0]!.tell(news);
  await arrived;
  expect(heard).toEqual(['1 first', '1 last']);
  for (const end of ends) end();
});
