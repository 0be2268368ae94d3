import { redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { effects, type OpenBank, openBank, send } from '../bank/index.js';
import { openPostgres } from '../conformance/records-stores.js';
import { until } from '../resources/index.js';
import { insertAged } from './aged-records.js';

const MINUTES_15 = 900_000;

test('an owner that still moves keeps its record: one that is writing to it is passed over, one that has is not late', async () => {
  await using opened = await openPostgres(true);
  const { records, db, pool } = opened;
  await insertAged(db, {
    ...{ count: 2, prefix: 'left', status: 'IN_PROGRESS', expiresAt: `now() + interval '1 hour'` },
    updatedAt: `now() - interval '1 hour'`,
  });
  const owner = await pool.connect();
  try {
    await owner.query('BEGIN');
    await owner.query(`UPDATE idempotency_records SET updated_at = clock_timestamp() WHERE key = 'left1'`);
    expect((await records.markAbandoned(10, MINUTES_15)).map(({ key }) => key)).toEqual(['left2']);
    await owner.query('COMMIT');
  } finally {
    owner.release();
  }
  expect(await records.markAbandoned(10, MINUTES_15)).toEqual([]);
  const fence = `UPDATE idempotency_records SET status = 'COMPLETED' WHERE key = $1 AND status = 'IN_PROGRESS' RETURNING key`;
  expect((await db.query(fence, ['left1'])).rows).toEqual([{ key: 'left1' }]);
  // And the owner of the other, when it comes back, finds that it may not.
  expect((await db.query(fence, ['left2'])).rows).toEqual([]);
});

/** A record as an owner leaves it that dies in progress, of an input that a call can name. */
async function leave(bank: OpenBank, key: string, effectsBegan: 'now()' | 'NULL'): Promise<string> {
  expect((await send(bank.url, 'echo', 1, { key })).status).toBe(200);
  const { rows } = await bank.db.query(
    `UPDATE idempotency_records SET status = 'IN_PROGRESS', response_body = NULL, effects_began_at = ${effectsBegan},
       updated_at = now() - interval '16 minutes' WHERE key = $1 RETURNING fingerprint`,
    [key],
  );
  await bank.db.query('DELETE FROM ledger WHERE key = $1', [key]);
  await bank.flushClaims();
  return rows[0].fingerprint;
}

test('the mark is what every caller gets from then on: a clear error, or the word that nobody knows; nothing runs', async () => {
  await using bank = await openBank();
  await leave(bank, 'k1', 'NULL');
  await leave(bank, 'k2', 'now()');
  expect(await send(bank.url, 'echo', 1, { key: 'k1' })).toMatchObject({ status: 409 });
  await bank.flushClaims();
  expect(await bank.bank.once.sweeper.runOnce()).toEqual({ expired: 0, abandoned: 2 });
  expect(bank.bank.events).toContainEqual({
    type: 'abandoned',
    call: { procedure: 'echo', key: 'k2' },
    status: 'INDETERMINATE',
  });

  const first = await send(bank.url, 'echo', 1, { key: 'k1' });
  expect(first.status).toBe(412);
  expect(first.headers.get('idempotency-status')).toBe('replayed');
  expect(first.body.error.message).toContain('Its key is used up');
  expect(first.body.error.data).toMatchObject({
    code: 'PRECONDITION_FAILED',
    idempotency: { key: 'k1', settlement: 'replayed' },
  });
  // From the claim this time, if it was told.
  expect((await send(bank.url, 'echo', 1, { key: 'k1' })).text).toBe(first.text);
  expect(await send(bank.url, 'echo', 2, { key: 'k1' })).toMatchObject({ status: 422 });

  const unknown = await send(bank.url, 'echo', 1, { key: 'k2' });
  expect(unknown.status).toBe(409);
  expect(unknown.body.error.data.idempotency).toMatchObject({ refusal: 'INDETERMINATE' });
  expect(await effects(bank.db)).toBe(0);
});

test('a claim that says it is in progress does not stand against the mark for longer than a call takes', async () => {
  await using bank = await openBank();
  const fingerprint = await leave(bank, 'k1', 'NULL');
  const redis = new Redis(bank.redisUrl);
  try {
    const id = { scope: '["ann"]', key: 'k1' };
    const claim = { id, fingerprint, ownerToken: 'a process that is frozen', leaseMs: 60_000 };
    expect(await redisClaims(redis, { prefix: bank.redisPrefix }).claim(claim)).toEqual({ kind: 'ACQUIRED' });
    await bank.bank.once.sweeper.runOnce();
    const answered = async () => (await send(bank.url, 'echo', 1, { key: 'k1' })).status === 412;
    await until(answered, { withinMs: 30_000, what: 'the mark is replayed' });
  } finally {
    redis.disconnect();
  }
  expect(await effects(bank.db)).toBe(0);
});
