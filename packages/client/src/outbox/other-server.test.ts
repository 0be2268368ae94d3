import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, rejection, watched, world } from '../testing/world.js';

const other = 'https://other.example/trpc';
const shop = 'https://shop.example/trpc';

/** A world whose shop lost the answer to an order, and whose app was closed then. */
async function leftPending(change: Parameters<typeof call>[0] = {}) {
  const it = world();
  it.script.push((_, commit) => {
    commit();
    return lost;
  });
  const outbox = it.open();
  const { key } = await rejection(outbox.submit(call({ retry: { maxAttempts: 1 }, ...change })));
  await outbox.close();
  return { ...it, key: key as string };
}

test('an operation is never sent by itself to another server than the one its key was made for', async () => {
  const { open, sent, key } = await leftPending();
  const outbox = open({ server: other });
  outbox.start();
  await settled();
  expect(await outbox.resume()).toEqual({ settled: 0, pending: 1 });
  expect(sent).toHaveLength(1);
  expect(await outbox.list()).toMatchObject([
    { key, state: 'parked', parked: 'server-changed', server: shop },
  ]);
  await outbox.close();
});

test('it goes on by itself once the client has its server again', async () => {
  const { open, sent, effects, told, key } = await leftPending();
  const elsewhere = open({ server: other });
  await elsewhere.resume();
  await elsewhere.close();
  open().start();
  await settled();
  expect(sent.map((attempt) => attempt.key)).toEqual([key, key]);
  expect(effects).toEqual([key]);
  expect(told).toMatchObject([{ operation: { key }, outcome: { ok: true } }]);
});

test('resume(key) of one that is shown as parked sends it to the server of now, and it is of that server from then on', async () => {
  const { open, sent, key } = await leftPending();
  const outbox = open({ server: other });
  const why = await rejection(outbox.resume(key));
  expect(why).toMatchObject({ name: 'OperationParkedError', reason: 'server-changed', key });
  expect(sent).toHaveLength(1);
  expect(await outbox.resume(key)).toBe(`done ${key}`);
  expect(sent).toHaveLength(2);
});

test('one that was moved and has no outcome yet goes on at its new server by itself, and not at its first', async () => {
  const it = await leftPending();
  const { key, sent, open } = it;
  const outbox = open({ server: other });
  await rejection(outbox.resume(key));
  it.script.push(() => lost);
  const again = watched(outbox.resume(key));
  await settled();
  await outbox.close();
  expect(again.error).toMatchObject({ name: 'OutcomeUnknownError' });
  const first = open();
  await first.resume();
  expect(await first.list()).toMatchObject([{ parked: 'server-changed', server: other }]);
  expect(sent).toHaveLength(2);
  await first.close();
  expect(await open({ server: other }).resume()).toEqual({ settled: 1, pending: 0 });
});

test('a call of the same intent is told so, and is no second operation', async () => {
  const { open, sent } = await leftPending({ intent: 'checkout:1' });
  const outbox = open({ server: other });
  const error = await rejection(outbox.submit(call({ intent: 'checkout:1' })));
  expect(error).toMatchObject({ name: 'OperationParkedError', reason: 'server-changed' });
  expect(sent).toHaveLength(1);
  expect(await outbox.list()).toHaveLength(1);
});

test('what is behind it in its lane is not sent before it', async () => {
  const { open, sent, key } = await leftPending({ lane: 'cart:1' });
  const outbox = open({ server: other });
  const next = await rejection(outbox.submit(call({ lane: 'cart:1' })));
  expect(next).toMatchObject({ name: 'OperationParkedError', reason: 'lane-waiting' });
  expect(sent).toHaveLength(1);
  await outbox.resume(key);
  await settled();
  expect(sent.map((attempt) => attempt.key)).toEqual([key, key, next.key]);
});

test('a sign-out says of it that it may have taken effect', async () => {
  const { open } = await leftPending();
  const outbox = open({ server: other });
  await outbox.resume();
  expect(await outbox.signOut({ pending: 'keep' })).toMatchObject({ unknown: 1, unsent: 0 });
});

test('a record from before servers were kept is sent as ever', async () => {
  const { open, texts, sent, key } = await leftPending();
  for (const [id, text] of texts) {
    const { server: _, ...before } = JSON.parse(text);
    texts.set(id, JSON.stringify(before));
  }
  expect(await open({ server: other }).resume()).toEqual({ settled: 1, pending: 0 });
  expect(sent.map((attempt) => attempt.key)).toEqual([key, key]);
});

test('a record whose server is no text is damaged', async () => {
  const { open, texts } = await leftPending();
  for (const [id, text] of texts) texts.set(id, JSON.stringify({ ...JSON.parse(text), server: 7 }));
  const outbox = open();
  await outbox.resume();
  expect(outbox.damaged()).toHaveLength(1);
});

test('of two tabs with different servers, each sends its own, also what the other one was told of and closed', async () => {
  const it = world();
  const browser = new Browser(it);
  const by: string[] = [];
  const tab = (server: string) =>
    browser.open({
      server,
      network: (attempt, send) => {
        if (attempt.mayLeave()) by.push(server);
        return send();
      },
    });
  it.script.push(() => lost);
  const one = tab(shop);
  one.outbox.start();
  const asking = watched(one.outbox.submit(call()));
  await settled();
  const two = tab(other);
  two.outbox.start();
  await two.outbox.resume();
  expect(await two.outbox.list()).toMatchObject([{ parked: 'server-changed' }]);
  await it.clock.advance(1_000);
  expect(asking.data).toMatch(/^done/);
  expect(by).toEqual([shop, shop]);

  it.script.push(() => lost);
  const left = watched(one.outbox.submit(call()));
  await settled();
  one.kill();
  await it.clock.advance(60_000);
  await two.outbox.resume();
  expect(left.ended).toBe(false);
  expect(by).toEqual([shop, shop, shop]);
  expect(await two.outbox.list()).toMatchObject([{ state: 'parked', parked: 'server-changed' }]);
});

test('a page whose server changes while headers are made sends nothing to the new one', async () => {
  const it = world();
  let server = shop;
  const outbox = it.open({
    server: () => server,
    network: async (_, send) => {
      server = other;
      return send();
    },
  });
  await expect(outbox.submit(call())).rejects.toMatchObject({ reason: 'server-changed' });
  expect(it.sent).toEqual([]);
});

test('it is not asked for by time again and again where it would only be parked again', async () => {
  const { open, clock, events, sent } = await leftPending();
  const outbox = open({ server: other, rhythm: { minDelayMs: 60_000, maxDelayMs: 900_000 } });
  outbox.start();
  await settled();
  const before = events.length;
  await clock.advance(20 * 3_600_000);
  expect([events.length, sent.length]).toEqual([before, 1]);
});
