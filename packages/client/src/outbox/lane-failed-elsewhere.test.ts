import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, slowStorage, type World, watched, world } from '../testing/world.js';
import type { DurableOutbox } from './durable-outbox.js';

const lane = 'cart:1';
const failure = () => fails(409, { settlement: 'settled' });

/** How those open it who share a storage of which each use takes so long. */
type Sharing = (it: World, storageMs: () => number) => () => DurableOutbox;

const processes: Sharing = (it, storageMs) => () => {
  const storage = slowStorage(it, storageMs);
  return it.open({ storage, coordination: amongProcesses(it, storage) });
};

const tabs =
  (newsMs: () => number): Sharing =>
  (it, storageMs) => {
    const browser = new Browser(it);
    let latest = 0;
    // In the order in which they were told.
    browser.carry = (arrive) => {
      latest = Math.max(latest, it.clock.now() + newsMs());
      if (latest === it.clock.now()) queueMicrotask(arrive);
      else it.clock.after(latest - it.clock.now(), arrive);
    };
    return () => browser.open({ storage: slowStorage(it, storageMs) }).outbox;
  };

/** How long before a failure is told in one of them the other calls into its lane, where that was sent all the same. */
async function slips(
  sharing: Sharing,
  storageMs: number,
  answerMs: number,
  named: { readonly intent?: string },
): Promise<number[]> {
  const slipped: number[] = [];
  for (let after = Math.max(0, answerMs - 10 * storageMs); ; after += Math.ceil(storageMs / 3)) {
    const it = world();
    const open = sharing(it, () => storageMs);
    const [one, other] = [open(), open()];
    it.script.push(() => new Promise((resolve) => void it.clock.after(answerMs, () => resolve(failure()))));
    let toldAt = Number.POSITIVE_INFINITY;
    one.subscribe(({ type }) => {
      if (type === 'delivered') toldAt = it.clock.now();
    });
    const first = watched(one.submit(call({ key: 'a', lane })));
    while (it.sent.length === 0) await it.clock.advance(1);
    await it.clock.advance(after);
    const isTold = first.ended;
    const calledAt = it.clock.now();
    const behind = watched(other.submit({ ...call({ lane, ...named }), key: 'b' }));
    await it.clock.advance(20_000);
    await Promise.all([one.close(), other.close(), it.clock.advance(30_000)]);
    expect(first.error).toMatchObject({ name: 'TRPCClientError' });
    if (isTold) return slipped;
    if (it.sent.some(({ key }) => key === 'b')) slipped.push(toldAt - calledAt);
    else expect(behind.error).toMatchObject({ name: 'OperationParkedError', reason: 'lane-halted' });
  }
}

for (const named of [{}, { intent: 'i' }]) {
  const what = 'intent' in named ? 'a lane and an intent' : 'a lane';
  test(`case 58: a call with ${what}, made before another process was told that the one before it failed, is halted`, async () => {
    for (const storageMs of [3, 15]) expect(await slips(processes, storageMs, 1_000, named)).toEqual([]);
  });

  test(`case 58: a call with ${what}, made before another tab was told that the one before it failed, is halted`, async () => {
    for (const newsMs of [0, 5, 33, 37])
      for (const storageMs of [3, 15])
        for (const answerMs of [30, 1_000])
          expect(
            await slips(
              tabs(() => newsMs),
              storageMs,
              answerMs,
              named,
            ),
            `${newsMs} ${storageMs} ${answerMs}`,
          ).toEqual([]);
  });
}

test('case 58: what is called behind a failure is stored as halted from the first, and a crash lets it not slip either', async () => {
  const it = world();
  const browser = new Browser(it);
  const never = () => new Promise<void>(() => {});
  const failing = browser.open({ onSettled: never, settledFirst: true });
  const other = browser.open({ onSettled: never, settledFirst: true });
  it.script.push(failure);
  watched(failing.outbox.submit(call({ key: 'a', lane })));
  await settled();
  const stored: string[] = [];
  const set = it.texts.set.bind(it.texts);
  it.texts.set = (id, text) => {
    if (id === '["ann","b"]') stored.push(JSON.parse(text).state);
    return set(id, text);
  };
  watched(other.outbox.submit(call({ key: 'b', lane })));
  await settled();
  expect(stored).toEqual(['parked']);
});

test('case 58: a call made after another process was told of the failure in its lane is sent, in the same moment as well by the one that was told', async () => {
  const it = world();
  const open = processes(it, () => 3);
  const [one, other] = [open(), open()];
  it.script.push(failure, failure);
  const first = watched(
    one.submit(call({ key: 'a', lane })).catch(() => one.submit(call({ key: 'b', lane }))),
  );
  await it.clock.advance(20_000);
  expect(first.error).toMatchObject({ name: 'TRPCClientError' });
  const next = watched(other.submit(call({ key: 'c', lane })));
  await it.clock.advance(20_000);
  expect([next.data, it.sent.map(({ key }) => key)]).toEqual(['done c', ['a', 'b', 'c']]);
  await Promise.all([one.close(), other.close(), it.clock.advance(30_000)]);
});

test('a call that means the same as one of this process that just failed is another one, in the same moment too', async () => {
  for (const storageMs of [0, 3]) {
    const it = world();
    const open = processes(it, () => storageMs);
    const [one, other] = [open(), open()];
    it.script.push(failure);
    const again = { intent: 'i', body: null };
    const first = watched(
      one.submit(call({ ...again, lane })).catch(async () => {
        await settled();
        return one.submit({ ...call({ ...again, lane }), key: 'b' });
      }),
    );
    await it.clock.advance(20_000);
    expect([first.data, it.sent.length]).toEqual(['done b', 2]);
    await Promise.all([one.close(), other.close(), it.clock.advance(30_000)]);
  }
});

interface Made {
  readonly lane: string;
  readonly fails: boolean;
  readonly called: number;
  sent?: number;
  answered?: number;
  told?: number;
}

interface Calling {
  readonly by: number;
  readonly lane: string;
  readonly fails: boolean;
  readonly named: boolean;
  readonly thenMs: number;
}

const calling: fc.Arbitrary<Calling> = fc.record({
  by: fc.nat(2),
  lane: fc.constantFrom('x', 'x', 'y'),
  fails: fc.boolean(),
  named: fc.boolean(),
  thenMs: fc.oneof(fc.constant(0), fc.nat(60), fc.nat(600)),
});

test('case 58: however three of them call into lanes, nothing is sent that was called before the failure in front of it was told', async () => {
  const calls = fc.array(calling, { minLength: 3, maxLength: 12 });
  const uses = fc.record({
    seed: fc.integer(),
    mostMs: fc.constantFrom(0, 3, 12),
    newsMs: fc.constantFrom(-1, 0, 8, 30),
  });
  const run = async (
    { seed, mostMs, newsMs }: { seed: number; mostMs: number; newsMs: number },
    steps: Calling[],
  ) => {
    const it = world();
    const made = new Map<string, Made>();
    let moment = 0;
    const { send } = it;
    it.send = async (attempt) => {
      const one = made.get(attempt.key)!;
      one.sent ??= ++moment;
      await new Promise<void>((resolve) => void it.clock.after(40, resolve));
      one.answered ??= ++moment;
      if (one.fails) it.script.push(failure);
      return send(attempt);
    };
    let drawn = seed;
    const upTo = (most: number) => () => {
      drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((drawn / 2 ** 32) * (most + 1));
    };
    const open = (newsMs < 0 ? processes : tabs(upTo(newsMs)))(it, upTo(mostMs));
    const all = [open(), open(), open()];
    const seen = [];
    for (const outbox of all)
      outbox.subscribe(({ type, operation }) => {
        if (type === 'delivered') made.get(operation.key)!.told ??= ++moment;
      });
    for (const { by, lane, fails, named, thenMs } of steps) {
      const key = `key ${made.size}`;
      made.set(key, { lane, fails, called: ++moment });
      // As most are called: a key that is given would be one more name to wait for.
      seen.push(watched(all[by]!.submit({ ...call({ lane, ...(named && { intent: key }) }), key })));
      await it.clock.advance(thenMs);
    }
    await it.clock.advance(60_000);
    expect(seen.filter(({ ended }) => !ended)).toEqual([]);
    const slipped = [...made.values()].filter((one) =>
      [...made.values()].some(
        (other) =>
          other.fails &&
          one.lane === other.lane &&
          one.called < (other.told ?? 0) &&
          (one.sent ?? 0) > (other.answered ?? Number.POSITIVE_INFINITY),
      ),
    );
    expect(slipped).toEqual([]);
    await Promise.all([...all.map((outbox) => outbox.close()), it.clock.advance(30_000)]);
  };
  await fc.assert(fc.asyncProperty(uses, calls, run), { numRuns: 100 });
}, 60_000);
