import { describe, expect, test } from 'vitest';
import { effects, openBank, send } from '../bank/index.js';
import { until } from '../resources/index.js';
import { countRecords, insertAged } from './aged-records.js';

const expireAll = `UPDATE idempotency_records SET expires_at = now() - interval '1 minute'`;

describe('the sweeper removes the record between the conflict and the look at it', () => {
  test('the operation is looked at again: it is free, runs, and its own outcome is told', async () => {
    let rival = 0;
    await using bank = await openBank({
      claims: 'none',
      hooks: {
        async after({ key }) {
          if (rival++ > 0) return;
          // Somebody else's record of this key, whose retention is over: it is in the way of the insert.
          await insertAged(bank.db, { count: 1, prefix: `${key}-` });
          await bank.db.query('UPDATE idempotency_records SET key = $1', [key]);
        },
      },
      async faults(point) {
        if (point === 'reading') expect(await bank.bank.once.sweeper.runOnce()).toMatchObject({ expired: 1 });
      },
    });
    const answer = await send(bank.url, 'echo', { n: 5 }, { key: 'k1' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('idempotency-status')).toBe('settled');
    expect(bank.bank.events.filter(({ type }) => type === 'fenced')).toHaveLength(1);
    expect(await effects(bank.db, 'k1')).toBe(1);
    const again = await send(bank.url, 'echo', { n: 5 }, { key: 'k1' });
    expect(again.headers.get('idempotency-status')).toBe('replayed');
    expect(again.text).toBe(answer.text);
  });
});

test('while expired records are swept, calls on their keys replay or run anew: each effect is told as one, and no call fails', async () => {
  let run = 0;
  await using bank = await openBank({
    claims: 'none',
    instances: 2,
    // Another outcome each time it runs.
    hooks: { echo: () => ++run },
    once: { sweep: { everyMs: 1, batch: 1, share: 1 } },
  });
  const keys = Array.from({ length: 24 }, (_, n) => `k${n}`);
  const told = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
  const settled = new Map<string, number>(keys.map((key) => [key, 0]));
  const call = async (key: string, n: number): Promise<void> => {
    const url = bank.instances[n % 2]?.url as string;
    for (;;) {
      const { status, headers, text } = await send(url, 'echo', { key }, { key });
      // The other one has it in hand.
      if (status === 409) continue;
      expect(status, text).toBe(200);
      const how = headers.get('idempotency-status');
      if (how === 'settled') settled.set(key, (settled.get(key) as number) + 1);
      else expect([...(told.get(key) as Set<string>), text]).toContain(text);
      told.get(key)?.add(text);
      return;
    }
  };
  await Promise.all(keys.map(call));
  await bank.db.query(expireAll);
  for (const { once } of bank.instances) once.sweeper.start();
  await Promise.all(keys.flatMap((key) => [call(key, 0), call(key, 1), call(key, 0)]));
  await until(async () => bank.instances.some(({ events }) => events.some(({ type }) => type === 'swept')), {
    what: 'something was swept',
  });
  for (const { once } of bank.instances) await once.sweeper.stop();
  for (const key of keys) {
    expect(await effects(bank.db, key)).toBe(settled.get(key));
    // As many outcomes as effects: a replay never told another one.
    expect(told.get(key)?.size).toBe(settled.get(key));
  }
  for (const { events } of bank.instances)
    expect(events.filter(({ type }) => type === 'records-failed' || type === 'fault')).toEqual([]);
});

test('Postgres cut in the middle of a sweep is told, and the next sweep goes on from there', async () => {
  await using bank = await openBank({
    claims: 'none',
    once: { sweep: { everyMs: 50, batch: 20, share: 1 } },
  });
  const { db, network } = bank;
  const { once, events } = bank.bank;
  await insertAged(db, { count: 400, prefix: 'old' });
  await insertAged(db, { count: 50, prefix: 'live', expiresAt: `now() + interval '1 hour'` });
  const cut = network.cutBefore('delete_expired', 'to-upstream');
  once.sweeper.start();
  expect(await cut).toBe(true);
  const failed = () => events.some(({ type }) => type === 'records-failed');
  await until(failed, { withinMs: 30_000, what: 'the failure is told' });
  const gone = async () => (await countRecords(db, 'old')) === 0;
  await until(gone, { withinMs: 30_000, what: 'all is swept' });
  await once.sweeper.stop();
  expect(await countRecords(db, 'live')).toBe(50);
});

test('closing ends a long sweep after the batch in hand, and what was swept by then is told', async () => {
  await using bank = await openBank({ claims: 'none', once: { sweep: { batch: 5, share: 0.1 } } });
  await insertAged(bank.db, { count: 20_000, prefix: 'old' });
  const { once, events } = bank.bank;
  once.sweeper.start();
  await until(async () => (await countRecords(bank.db)) < 20_000, { what: 'it has begun' });
  await once.close();
  const left = await countRecords(bank.db);
  expect(left).toBeGreaterThan(0);
  expect(events).toContainEqual({ type: 'swept', expired: 20_000 - left });
});
