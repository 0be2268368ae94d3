import { describe, expect, test } from 'vitest';
import type { Sql } from '../bank/bank-tables.js';
import { signal } from '../invariants/signal.js';
import { type OpenRecords, openOrm, openPostgres } from './records-stores.js';
import { done, draft, effectCount, oneEffect } from './records-suite.js';

/** Another attempt's record, written as if the hold on the operation did not exist. */
const insertRecord = (db: Sql, body: string) =>
  db.query(
    `INSERT INTO idempotency_records
       (key, scope, procedure, fingerprint, status, response_body, created_at, updated_at, expires_at)
     VALUES ($1, $2, 'pay', '1.abc', 'COMPLETED', $3, now(), now(), now() + interval '1 hour')`,
    [draft.id.key, draft.id.scope, body],
  );

describe.each<[string, () => Promise<OpenRecords>]>([
  ['a plain pool', () => openPostgres(false)],
  ['a pipelining pool', () => openPostgres(true)],
  ['an ORM', () => openOrm()],
])('through %s', (_, open) => {
  test('busy: while one transaction has the operation, others are turned away at once and run nothing', async () => {
    await using opened = await open();
    const { records, db } = opened;
    const inside = signal();
    const goOn = signal();
    const first = records.transact(draft, async (tx) => {
      inside.give();
      await goOn.given;
      return oneEffect()(tx);
    });
    await inside.given;
    expect(await records.transact(draft, oneEffect(2))).toEqual({ kind: 'busy' });
    expect(await records.probe(draft.id)).toEqual({ kind: 'busy' });
    // A read asks for what is known, not for the hold.
    expect(await records.read(draft.id)).toBeUndefined();
    const another = { ...draft, id: { ...draft.id, key: 'k2' } };
    expect(await records.transact(another, async () => done)).toMatchObject({ kind: 'settled' });
    goOn.give();
    expect(await first).toMatchObject({ kind: 'settled' });
    expect(await records.transact(draft, oneEffect(2))).toMatchObject({ kind: 'found' });
    expect(await effectCount(db)).toBe(1);
  });

  test('a transaction that was rolled back lets the operation go', async () => {
    await using opened = await open();
    await expect(
      opened.records.transact(draft, async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await opened.records.probe(draft.id)).toEqual({ kind: 'absent' });
    expect(await opened.records.transact(draft, oneEffect())).toMatchObject({ kind: 'settled' });
  });

  test('fenced: another’s record was there first, and the writes of this one are rolled back', async () => {
    await using opened = await open();
    const { records, db } = opened;
    const fenced = await records.transact(draft, async (tx) => {
      await oneEffect()(tx);
      await insertRecord(db, '"first"');
      return done;
    });
    expect(fenced).toEqual({ kind: 'fenced' });
    expect(await effectCount(db)).toBe(0);
    expect((await records.read(draft.id))?.outcome).toEqual({ status: 'COMPLETED', body: '"first"' });
    expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'found' });
  });

  test('twenty at once: one takes effect, the others find it or are turned away', async () => {
    await using opened = await open();
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, n) => opened.records.transact(draft, oneEffect(n))),
    );
    expect(ends.filter(({ kind }) => kind === 'settled')).toHaveLength(1);
    expect(ends.every(({ kind }) => ['settled', 'found', 'busy'].includes(kind))).toBe(true);
    expect(await effectCount(opened.db)).toBe(1);
  });

  test('migrating from many instances at once, on an empty database, is done once', async () => {
    await using opened = await open();
    const { records, db } = opened;
    await db.query('DROP TABLE idempotency_records');
    await db.query('DROP TABLE idempotency_migrations');
    await Promise.all(Array.from({ length: 4 }, () => records.migrate()));
    const { rows } = await db.query('SELECT number FROM idempotency_migrations ORDER BY number');
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'settled' });
  });

  test('deleting what has expired passes over what another is deleting, and is kept waiting by nobody', async () => {
    await using opened = await open();
    const { records, db } = opened;
    for (let n = 0; n < 4; n++)
      await records.transact(
        { ...draft, id: { ...draft.id, key: `k${n}` }, retentionMs: -1 },
        async () => done,
      );
    const sweeper = { ...draft, id: { ...draft.id, key: 'another' } };
    const held = await records.transact(sweeper, async (tx) => {
      await tx.query(`SELECT 1 FROM idempotency_records WHERE key IN ('k0', 'k1') FOR UPDATE`);
      expect(await records.deleteExpired(10)).toMatchObject({ count: 2 });
      return done;
    });
    expect(held.kind).toBe('settled');
    expect(await records.deleteExpired(10)).toMatchObject({ count: 2 });
    expect((await db.query('SELECT key FROM idempotency_records')).rows).toEqual([{ key: 'another' }]);
  });
});
