import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, fails, lost, says, type World, watched, world } from '../testing/world.js';

/** Leaves `count` operations behind without an outcome, as a process does that is killed. */
async function leave({ open, script }: World, count: number, path = 'orders.place'): Promise<string[]> {
  const outbox = open();
  script.push(...Array(count).fill(() => lost));
  const left = Array.from({ length: count }, () =>
    outbox.submit(call({ path, retry: { maxAttempts: 1 } })).catch((error) => error.key as string),
  );
  return (await Promise.all(left)) as string[];
}

test('case 41: with no caller left, resuming settles the operation and hands its outcome over', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  expect(await it.open().resume()).toEqual({ settled: 1, pending: 0 });
  await settled();
  expect(it.told).toMatchObject([
    {
      operation: { key, path: 'orders.place', state: 'settled' },
      outcome: { ok: true, data: `done ${key}` },
    },
  ]);
  expect(it.texts.size).toBe(0);
});

test('a business error found by a resume is handed over as the error its caller would have got', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  it.script.push(() => fails(409, { settlement: 'replayed', key: key! }));
  await it.open().resume();
  const { outcome } = it.told[0]!;
  expect(outcome).toMatchObject({
    ok: false,
    error: { name: 'TRPCClientError', meta: { idempotencyKey: key } },
  });
});

test('case 42: resumes by timer, focus and online at once are a single flight', async () => {
  const it = world();
  const keys = await leave(it, 3);
  it.sent.length = 0;
  const outbox = it.open();
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  for (const _ of keys) it.script.push((_attempt, commit) => answered.then(commit));
  const reports = [outbox.resume(), outbox.resume()];
  await settled();
  reports.push(outbox.resume(), outbox.resume());
  await settled();
  answer();
  expect(await Promise.all(reports)).toEqual(Array(4).fill({ settled: 3, pending: 0 }));
  expect(it.sent.map(({ key }) => key).sort()).toEqual(keys.sort());
  expect(it.told.length).toBe(3);
});

test('case 43: one operation that fails holds none of the others up', async () => {
  const it = world();
  const [broken] = await leave(it, 1, 'orders.broken');
  const fine = await leave(it, 4);
  const outbox = it.open();
  it.script.push(
    ...Array(100).fill((attempt: { path: string }, commit: () => never) =>
      attempt.path === 'orders.broken' ? lost : commit(),
    ),
  );
  const report = watched(outbox.resume());
  await settled();
  expect([...it.effects].sort()).toEqual(fine.sort());
  await it.clock.advance(200_000);
  expect(report.data).toEqual({ settled: 4, pending: 1 });
  expect((await outbox.list()).map(({ key }) => key)).toEqual([broken]);
});

test('a crowd of operations is resumed six at a time', async () => {
  const it = world();
  const keys = await leave(it, 20);
  it.sent.length = 0;
  const answers: (() => void)[] = [];
  for (const _ of keys)
    it.script.push((_attempt, commit) => new Promise((resolve) => answers.push(() => resolve(commit()))));
  const report = watched(it.open().resume());
  await settled();
  expect(it.sent.length).toBe(6);
  while (!report.ended) {
    answers.shift()?.();
    await settled();
    expect(answers.length).toBeLessThanOrEqual(6);
  }
  expect(report.data).toEqual({ settled: 20, pending: 0 });
});

test('of a crowd that processes share few are held at a time: a lease for each would only keep all of them renewing', async () => {
  const it = world();
  await leave(it, 100);
  let most = 0;
  it.texts.set = (id, text) => {
    const held = [...it.texts.keys()].filter((one) => one.startsWith('lease operation')).length;
    most = Math.max(most, held + (id.startsWith('lease operation') && !it.texts.has(id) ? 1 : 0));
    return Map.prototype.set.call(it.texts, id, text) as typeof it.texts;
  };
  const resumed = watched(it.open({ coordination: amongProcesses(it) }).resume());
  await it.clock.advance(60_000);
  expect(resumed.data).toEqual({ settled: 100, pending: 0 });
  // Six that are asked for, and those whose outcome is just being written.
  expect(most).toBeLessThan(40);
});

test('an outcome that onSettled refuses is kept, and told again at the next resume', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  const refusing = it.open({ onSettled: () => Promise.reject(new Error('no room')) });
  expect(await refusing.resume()).toEqual({ settled: 1, pending: 0 });
  expect(it.events.some(({ type }) => type === 'undelivered')).toBe(true);
  expect(await refusing.list()).toMatchObject([{ key, state: 'settled' }]);
  const sends = it.sent.length;
  await it.open().resume();
  expect(it.told.length).toBe(1);
  expect(it.sent.length).toBe(sends);
});

test('without onSettled an outcome waits for whoever asks for it, also after a reload', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  const mute = it.open({ onSettled: undefined });
  expect(await mute.resume()).toEqual({ settled: 1, pending: 0 });
  expect(await mute.list()).toMatchObject([{ key, state: 'settled' }]);
  const sends = it.sent.length;
  const reloaded = it.open({ onSettled: undefined });
  expect(await reloaded.wait(key!)).toBe(`done ${key}`);
  await settled();
  expect([it.texts.size, it.sent.length]).toEqual([0, sends]);
});

test('without onSettled an outcome that nobody asks for goes when the server would forget it too', async () => {
  const it = world();
  await leave(it, 1);
  const mute = it.open({ onSettled: undefined });
  await mute.resume();
  await it.clock.advance(86_400_001);
  await mute.resume();
  await settled();
  expect(it.texts.size).toBe(0);
});

test('a call that joins while onSettled is busy gets the outcome as well', async () => {
  const it = world();
  const outbox = it.open();
  it.script.push(() => lost);
  await outbox.submit(call({ intent: 'checkout:1', retry: { maxAttempts: 1 } })).catch(() => {});
  let accept: () => void = () => {};
  const slow = it.open({ onSettled: () => new Promise<void>((resolve) => (accept = resolve)) });
  const report = watched(slow.resume());
  await settled();
  const joined = watched(slow.submit(call({ intent: 'checkout:1' })));
  await settled();
  accept();
  await settled();
  expect(joined.data).toContain('done');
  expect(report.data).toEqual({ settled: 1, pending: 0 });
  expect(it.effects.length).toBe(1);
});

test('waiting by key hears of the outcome, and sends nothing itself', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  const outbox = it.open();
  const seen = watched(outbox.wait(key!));
  await it.clock.advance(60_000);
  expect([seen.ended, it.sent.length]).toEqual([false, 1]);
  await outbox.resume();
  expect(seen.data).toBe(`done ${key}`);
  expect(it.told).toEqual([]);
});

test('an answer that this version cannot decode is never handed over as something else', async () => {
  const it = world();
  const [key] = await leave(it, 1);
  await it.open({ onSettled: () => Promise.reject(new Error('later')) }).resume();
  const id = [...it.texts.keys()][0]!;
  it.texts.set(id, it.texts.get(id)!.replace(/"answer":"[^}]*\}\}?"/, '"answer":"<html>"'));
  const outbox = it.open();
  expect(JSON.parse(it.texts.get(id)!).answer).toBe('<html>');
  await expect(outbox.wait(key!)).rejects.toMatchObject({
    name: 'OutcomeUnknownError',
    reason: 'interrupted',
  });
  expect(it.told).toEqual([]);
  expect(await outbox.list()).toMatchObject([{ key, state: 'settled' }]);
});

test('the list is oldest first, and the same array until something changes', async () => {
  const it = world();
  const [first] = await leave(it, 1);
  await it.clock.advance(10);
  const [second] = await leave(it, 1);
  const outbox = it.open();
  const list = await outbox.list();
  expect(list.map(({ key }) => key)).toEqual([first, second]);
  expect(outbox.snapshot()).toBe(outbox.snapshot());
  const before = outbox.snapshot();
  await outbox.resume(first!);
  expect(outbox.snapshot()).not.toBe(before);
  expect(outbox.snapshot().map(({ key }) => key)).toEqual([second]);
});

test("every step of an operation's life is told, with its attempts so far", async () => {
  const it = world();
  it.script.push(
    () => lost,
    () => says(502, '<html>'),
    () => fails(409, { refusal: 'IN_PROGRESS' }),
  );
  const seen = watched(it.open().submit(call()));
  await it.clock.advance(60_000);
  expect(seen.ended).toBe(true);
  const steps = [
    'persisted',
    'sending',
    'waiting',
    'sending',
    'waiting',
    'sending',
    'waiting',
    'sending',
    'settled',
    'delivered',
  ];
  expect(it.events.map(({ type }) => type)).toEqual(steps);
  expect(it.events.at(-1)!.operation).toMatchObject({
    attempts: 4,
    notes: [
      { number: 1, ended: 'network' },
      { number: 2, ended: 'not-trpc', status: 502 },
      { number: 3, ended: 'in-progress', status: 409 },
      { number: 4, ended: 'settled', status: 200 },
    ],
  });
});

test('a listener that throws changes nothing, and one that ended hears nothing', async () => {
  const it = world();
  const outbox = it.open();
  const reported: unknown[] = [];
  const { error } = console;
  console.error = (one: unknown) => reported.push(one);
  try {
    outbox.subscribe(() => {
      throw new Error('listener');
    });
    let heard = 0;
    const end = outbox.subscribe(() => {
      heard += 1;
    });
    end();
    expect(await outbox.submit(call())).toContain('done');
    expect(heard).toBe(0);
    expect(reported.length).toBe(4);
  } finally {
    console.error = error;
  }
});
