import { expect, test } from 'vitest';
import { settled } from '../testing/fake-clock.js';
import { call, fails, lost, watched, world } from '../testing/world.js';

const intent = 'checkout:1';

test('with settledFirst a call resolves only after onSettled has returned, and the operation is kept until then', async () => {
  const it = world();
  let accept: () => void = () => {};
  const told: string[] = [];
  const onSettled = ({ key }: { key: string }) => {
    told.push(key);
    return new Promise<void>((resolve) => (accept = resolve));
  };
  const seen = watched(it.open({ onSettled, settledFirst: true }).submit(call({ key: 'mine' })));
  await settled();
  expect([seen.ended, told, it.texts.size]).toEqual([false, ['mine'], 1]);
  accept();
  await settled();
  expect([seen.data, it.texts.size]).toEqual(['done mine', 0]);
});

test('with settledFirst an onSettled that throws keeps the outcome for the next time; the caller still has it', async () => {
  const it = world();
  const onSettled = () => Promise.reject(new Error('disk full'));
  expect(await it.open({ onSettled, settledFirst: true }).submit(call({ key: 'mine' }))).toBe('done mine');
  expect(it.texts.size).toBe(1);
  await it.open({ settledFirst: true }).resume();
  expect(it.told.map(({ operation }) => operation.key)).toEqual(['mine']);
  expect(it.texts.size).toBe(0);
});

test('an outcome that comes when somebody else is signed in is not told to their app, but kept until its owner is back', async () => {
  for (const settledFirst of [false, true]) {
    const it = world();
    it.script.push(async (_, commit) => {
      await new Promise<void>((resolve) => it.clock.after(500, resolve));
      it.signedIn = 'ben';
      return commit();
    });
    const outbox = it.open({ settledFirst });
    // Nobody waits any more when it comes.
    watched(outbox.submit(call({ key: 'hers', waitMs: 0 })));
    await it.clock.advance(1_000);
    expect([it.signedIn, it.told, it.texts.size]).toEqual(['ben', [], 1]);
    expect(await outbox.resume()).toEqual({ settled: 0, pending: 0 });
    it.signedIn = 'ann';
    expect(await outbox.resume()).toEqual({ settled: 1, pending: 0 });
    expect([it.told.map(({ operation }) => operation.key), it.texts.size]).toEqual([['hers'], 0]);
    expect(it.sent.length).toBe(1);
  }
});

test('an onSettled that never returns holds up a resume for half a minute and a close for five seconds', async () => {
  const it = world();
  it.script.push(() => lost);
  watched(it.open().submit(call({ retry: { maxAttempts: 1 } })));
  await settled();
  const hanging = it.open({ onSettled: () => new Promise(() => {}) });
  const report = watched(hanging.resume());
  await it.clock.advance(29_000);
  expect(report.ended).toBe(false);
  await it.clock.advance(2_000);
  expect(report.data).toEqual({ settled: 1, pending: 0 });
  expect(it.events.some(({ type }) => type === 'undelivered')).toBe(true);
  void hanging.resume();
  await settled();
  const closed = watched(hanging.close());
  await it.clock.advance(5_000);
  expect([closed.ended, it.texts.size, it.clock.pending]).toEqual([true, 1, 0]);
});

test('an onSettled that was late has heard: it is not told again', async () => {
  const it = world();
  it.script.push(() => lost);
  watched(it.open().submit(call({ retry: { maxAttempts: 1 } })));
  await settled();
  let times = 0;
  let accept: () => void = () => {};
  const outbox = it.open({
    onSettled: () => {
      times += 1;
      return new Promise<void>((resolve) => (accept = resolve));
    },
  });
  void outbox.resume();
  await it.clock.advance(31_000);
  accept();
  await outbox.resume();
  expect([times, it.texts.size]).toEqual([1, 0]);
});

/** A process that is killed after it stored the outcome and before it could hand it over. */
async function killedBeforeHandOver(outcome: () => ReturnType<typeof fails>) {
  const it = world();
  it.script.push(outcome);
  const dying = it.open({ onSettled: () => new Promise(() => {}), settledFirst: true });
  watched(dying.submit(call({ intent })));
  await it.clock.advance(1);
  expect(JSON.parse([...it.texts.values()][0]!).state).toBe('settled');
  return it;
}

test('an outcome that nobody heard of answers the next call of its intent, once', async () => {
  const it = await killedBeforeHandOver(() => fails(409, { settlement: 'settled' }));
  const next = it.open();
  await expect(next.submit(call({ intent }))).rejects.toMatchObject({ data: { httpStatus: 409 } });
  expect(it.sent.length).toBe(1);
  expect(await next.submit(call({ intent }))).toContain('done');
  expect(it.sent.length).toBe(2);
});

test('a refusal that nobody heard of proves that nothing ran: the next call of its intent is a new operation', async () => {
  const it = await killedBeforeHandOver(() => fails(403));
  const [first] = it.sent;
  const next = it.open();
  expect(await next.submit(call({ intent, body: '{"sku":"milk"}' }))).toContain('done');
  expect(it.sent.length).toBe(2);
  expect(it.sent[1]!.key).not.toBe(first!.key);
  expect(it.texts.size).toBe(0);
});

test('a refusal that nobody heard of is told to onSettled by a resume', async () => {
  const it = await killedBeforeHandOver(() => fails(403));
  await it.open().resume();
  expect(it.told).toMatchObject([{ outcome: { ok: false, error: { data: { httpStatus: 403 } } } }]);
});
