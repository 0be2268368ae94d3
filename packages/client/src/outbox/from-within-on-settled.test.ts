import { describe, expect, test } from 'vitest';
import type { Evidence } from '../attempts/evidence.js';
import type { DurableOutbox } from '../outbox/durable-outbox.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, rejection, type World, watched, world } from '../testing/world.js';

const intent = 'checkout:1';
const lane = 'cart:1';

/** Brings one operation to where onSettled is told of it: its caller has gone, or onSettled comes first. */
async function telling(
  it: World,
  settledFirst: boolean,
  onSettled: (outbox: DurableOutbox) => Promise<void>,
  answer?: Evidence,
): Promise<DurableOutbox> {
  const outbox: DurableOutbox = it.open({ settledFirst, onSettled: () => onSettled(outbox) });
  it.script.push(async (_, commit) => {
    await new Promise<void>((resolve) => it.clock.after(5, resolve));
    return answer ?? commit();
  });
  watched(outbox.submit(call({ key: 'a', intent, ...(settledFirst ? {} : { waitMs: 0 }) })));
  await it.clock.advance(10);
  return outbox;
}

describe.each([false, true])('with settledFirst %s', (settledFirst) => {
  test.each<[string, (outbox: DurableOutbox) => Promise<unknown>]>([
    ['wait(key)', (outbox) => outbox.wait('a')],
    ['resume(key)', (outbox) => outbox.resume('a')],
    ['a call of its intent', (outbox) => outbox.submit(call({ intent }))],
    ['a call of its key', (outbox) => outbox.submit(call({ key: 'a' }))],
  ])('%s from within onSettled has the outcome that is being told, at once', async (_, ask) => {
    const it = world();
    const heard: unknown[] = [];
    await telling(it, settledFirst, async (outbox) => {
      heard.push(await ask(outbox), await ask(outbox));
    });
    expect(heard).toEqual(['done a', 'done a']);
    expect([it.effects, it.texts.size]).toEqual([['a'], 0]);
  });

  test('a failure is the same failure to whoever asks from within onSettled', async () => {
    const it = world();
    const heard: unknown[] = [];
    const ask = async (outbox: DurableOutbox) => {
      heard.push(await rejection(outbox.wait('a')), await rejection(outbox.submit(call({ intent }))));
    };
    await telling(it, settledFirst, ask, fails(409, { settlement: 'settled' }));
    const failure = { name: 'TRPCClientError', data: { httpStatus: 409 } };
    expect(heard).toMatchObject([failure, failure]);
  });

  test('another input under the intent is a conflict all the same, from within onSettled', async () => {
    const it = world();
    const heard: unknown[] = [];
    await telling(it, settledFirst, async (outbox) => {
      heard.push(await rejection(outbox.submit(call({ intent, body: null }))));
    });
    expect(heard).toMatchObject([{ name: 'IntentConflictError' }]);
  });
});

test('who asked while onSettled was at it has heard, though that throws then: the intent is free for the next one', async () => {
  const it = world();
  const heard: unknown[] = [];
  const outbox = await telling(it, false, async (outbox) => {
    heard.push(await outbox.wait('a'));
    throw new Error('the disk is full');
  });
  expect([heard, it.texts.size]).toEqual([['done a'], 0]);
  expect(await outbox.submit(call({ key: 'b', intent }))).toBe('done b');
});

test('with settledFirst what onSettled refused stays for it, whoever has asked meanwhile', async () => {
  const it = world();
  await telling(it, true, async (outbox) => {
    await outbox.wait('a');
    throw new Error('the disk is full');
  });
  expect(it.texts.size).toBe(1);
  await it.open({ settledFirst: true }).resume();
  expect([it.told.map(({ operation }) => operation.key), it.texts.size]).toEqual([['a'], 0]);
});

test('an outcome whose onSettled hangs answers a call of its intent once, and is not in its way for ever', async () => {
  const it = world();
  const outbox = await telling(it, false, () => new Promise(() => {}));
  await it.clock.advance(40_000);
  expect(await outbox.submit(call({ intent }))).toBe('done a');
  await it.clock.advance(40_000);
  expect(await outbox.submit(call({ key: 'b', intent }))).toBe('done b');
});

describe.each<[string, (outbox: DurableOutbox) => Promise<unknown>]>([
  ['wait(key)', (outbox) => outbox.wait('b')],
  ['resume()', (outbox) => outbox.resume()],
  ['a call into the lane', (outbox) => outbox.submit(call({ key: 'c', lane }))],
])('%s from within onSettled does not wait for what is behind it in its lane', (_, ask) => {
  test('that goes on meanwhile after a success, and is halted after a failure', async () => {
    for (const failed of [false, true]) {
      const it = world();
      it.script.push(() => lost);
      const first = it.open();
      for (const key of ['a', 'b'])
        watched(first.submit(call({ key, lane, waitMs: 0, retry: { maxAttempts: 1 } })));
      await settled();
      await first.close();
      if (failed) it.script.push(() => fails(409, { settlement: 'settled' }));
      const ends: string[] = [];
      const outbox: DurableOutbox = it.open({
        async onSettled({ key }) {
          if (key === 'a') ends.push(await ask(outbox).then(String, (error) => error.reason));
        },
      });
      void outbox.resume();
      await it.clock.advance(20_000);
      expect(ends).toHaveLength(1);
      expect(it.effects.includes('b')).toBe(!failed);
      const left = (await outbox.list()).map(({ parked }) => parked);
      expect(new Set(left)).toEqual(new Set(failed ? ['lane-halted'] : []));
    }
  });
});
