import type { Outcome, RecordDraft, Transacted } from '@trpc-once/server';
import { CommitUnknownError } from '@trpc-once/server';
import { expect, test } from 'vitest';
import type { Sql } from '../bank/bank-tables.js';
import { insertAged } from '../sweeper/aged-records.js';
import type { OpenRecords } from './records-stores.js';

export const draft: RecordDraft = {
  id: { scope: '["ann"]', key: 'k1' },
  procedure: 'pay',
  fingerprint: '1.abc',
  retentionMs: 60_000,
};

export const done: Outcome = { status: 'COMPLETED', body: '{"ok":true}' };

/** Work that leaves a row, and ends as done. */
export const oneEffect =
  (id = 1) =>
  async (tx: Sql): Promise<Outcome> => {
    await tx.query('INSERT INTO effects VALUES ($1, $2)', [id, 'done']);
    return done;
  };

export async function effectCount(db: Sql): Promise<number> {
  return (await db.query('SELECT count(*)::int AS count FROM effects')).rows[0].count;
}

/** What `pending` rejected with. */
export async function rejection(pending: Promise<unknown>): Promise<Error> {
  return pending.then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)}`),
    (error) => error,
  );
}

/** An error and its causes, as a log shows them. */
export function told(error: unknown): string {
  return error instanceof Error ? `${error.message} ← ${told(error.cause)}` : '';
}

/** What every record store has to do, whatever it is made of. */
export function recordsSuite(open: () => Promise<OpenRecords>): void {
  const withRecords = (name: string, run: (opened: OpenRecords) => Promise<void>) =>
    test(name, async () => {
      await using opened = await open();
      await run(opened);
    });
  const unharmed = async ({ records, db }: OpenRecords): Promise<void> => {
    expect(await effectCount(db)).toBe(0);
    expect(await records.read(draft.id)).toBeUndefined();
    // Neither the operation nor the connection is spoilt for whoever comes next.
    expect(await records.transact(draft, oneEffect(2))).toMatchObject({ kind: 'settled' });
  };

  withRecords(
    'settled: writes and record are committed together, and the record says all of it',
    async ({ records, db }) => {
      expect(await records.transact(draft, oneEffect())).toEqual({ kind: 'settled', outcome: done });
      expect(await effectCount(db)).toBe(1);
      const record = await records.read(draft.id);
      expect(record).toMatchObject({ fingerprint: '1.abc', status: 'COMPLETED', outcome: done });
      const { rows } = await db.query('SELECT * FROM idempotency_records');
      expect(rows).toMatchObject([{ scope: '["ann"]', key: 'k1', procedure: 'pay', status: 'COMPLETED' }]);
    },
  );

  withRecords(
    'found: what has settled is handed back, and the work does not run',
    async ({ records, db }) => {
      await records.transact(draft, oneEffect());
      const again = await records.transact({ ...draft, fingerprint: '1.other' }, oneEffect(2));
      expect(again).toMatchObject({ kind: 'found', record: { fingerprint: '1.abc', outcome: done } });
      expect(await effectCount(db)).toBe(1);
    },
  );

  withRecords('a failed outcome keeps its code and body', async ({ records }) => {
    const failed: Outcome = { status: 'FAILED', code: 'CONFLICT', body: '{"message":"no"}' };
    await records.transact(draft, async () => failed);
    expect((await records.read(draft.id))?.outcome).toEqual(failed);
  });

  withRecords('a body is given back byte for byte', async ({ records }) => {
    const bodies = [
      '',
      'null',
      `"it's \\"quoted\\" \\\\ and $1 %s"`,
      '{"b":1,"a":[],"10":1,"9":2,"b":3}',
      '"ünïcödé 語 😀 \u2028"',
      JSON.stringify('\u0000 \ud800 \u001f \u007f'),
      '\n\t 1.0e+2 ',
      JSON.stringify('x'.repeat(1_000_000)),
    ];
    for (const [n, body] of bodies.entries()) {
      const id = { ...draft.id, key: `k${n}` };
      await records.transact({ ...draft, id }, async () => ({ status: 'COMPLETED', body }));
      expect((await records.read(id))?.outcome).toEqual({ status: 'COMPLETED', body });
    }
  });

  withRecords('operations are told apart by scope and by key, letter for letter', async ({ records, db }) => {
    const ids = [
      ['a', 'b'],
      ['a', 'B'],
      ['a', 'b '],
      ['', 'ab'],
      ['ab', ''],
      ['a b', ''],
      ['語'.repeat(300), 'k'.repeat(255)],
    ].map(([scope, key]) => ({ scope: scope as string, key: key as string }));
    for (const [n, id] of ids.entries())
      expect(await records.transact({ ...draft, id }, oneEffect(n))).toMatchObject({ kind: 'settled' });
    expect(await effectCount(db)).toBe(ids.length);
    for (const id of ids) expect(await records.probe(id)).toMatchObject({ kind: 'found' });
  });

  withRecords(
    'an error of the work rolls everything back and is handed on as it was thrown',
    async (opened) => {
      const error = new Error('the work failed');
      const pending = opened.records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        throw error;
      });
      expect(await rejection(pending)).toBe(error);
      await unharmed(opened);
    },
  );

  withRecords(
    'a database error that the work swallowed: nothing is committed, and the message says why',
    async (opened) => {
      const pending = opened.records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        await tx.query('SELECT no_such_function()').catch(() => {});
        return done;
      });
      const error = await rejection(pending);
      expect(error).not.toBeInstanceOf(CommitUnknownError);
      expect(error.message).toContain('nothing was committed');
      expect(error.message).toContain('savepoint');
      await unharmed(opened);
    },
  );

  withRecords('a statement that was not awaited and fails takes the writes with it', async (opened) => {
    const pending = opened.records.transact(draft, async (tx) => {
      await oneEffect()(tx);
      tx.query('SELECT no_such_function()').catch(() => {});
      return done;
    });
    expect(await rejection(pending)).not.toBeInstanceOf(CommitUnknownError);
    await unharmed(opened);
  });

  withRecords('a statement that failed inside a savepoint spoils nothing', async ({ records, db }) => {
    await records.transact(draft, async (tx) => {
      await oneEffect()(tx);
      await tx.query('SAVEPOINT careful');
      await tx.query('INSERT INTO effects VALUES (1)').catch(() => {});
      await tx.query('ROLLBACK TO SAVEPOINT careful');
      return done;
    });
    expect(await effectCount(db)).toBe(1);
    expect((await records.read(draft.id))?.outcome).toEqual(done);
  });

  withRecords(
    'a constraint that fails at COMMIT is that error, not a COMMIT whose answer was lost',
    async (opened) => {
      const pending = opened.records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        await tx.query('INSERT INTO children VALUES (99)');
        return done;
      });
      const error = await rejection(pending);
      expect(error).not.toBeInstanceOf(CommitUnknownError);
      expect(told(error)).toContain('children_parent_fkey');
      await unharmed(opened);
    },
  );

  for (const [name, statement] of [
    ['in a statement', 'INSERT INTO effects VALUES (1), (1)'],
    ['at COMMIT, in a table named much like ours', 'INSERT INTO idempotency_records_log VALUES (1), (1)'],
  ] as const)
    withRecords(`a duplicate in the app’s own table is no fence: ${name}`, async (opened) => {
      const pending = opened.records.transact(draft, async (tx) => {
        await tx.query(statement);
        return done;
      });
      expect(told(await rejection(pending))).toContain('duplicate key');
      await unharmed(opened);
    });

  withRecords(
    'what is left of a retention counts from when the outcome settled, and goes below zero',
    async ({ records, db }) => {
      await records.transact({ ...draft, retentionMs: 60_000 }, async (tx) => {
        await tx.query('SELECT pg_sleep(0.3)');
        return done;
      });
      const left = (await records.read(draft.id))?.leftMs as number;
      expect(left).toBeLessThanOrEqual(60_000);
      expect(left).toBeGreaterThan(59_800);
      await db.query(`UPDATE idempotency_records SET expires_at = clock_timestamp() - interval '5 s'`);
      // Over, but not swept yet: it still is what happened.
      const found = (await records.transact(draft, oneEffect())) as Transacted & { kind: 'found' };
      expect(found.kind).toBe('found');
      expect(found.record.leftMs).toBeLessThan(-4_900);
    },
  );

  withRecords('expired records are deleted in batches, and no others', async ({ records }) => {
    const settle = (key: string, retentionMs: number) =>
      records.transact({ ...draft, id: { ...draft.id, key }, retentionMs }, async () => done);
    for (let n = 0; n < 7; n++) await settle(`old${n}`, -1);
    for (let n = 0; n < 3; n++) await settle(`new${n}`, 60_000);
    let from: number | undefined;
    const counts: number[] = [];
    for (let batch = 0; batch < 3; batch++) {
      const { count, upTo } = await records.deleteExpired(5, from);
      counts.push(count);
      from = upTo;
    }
    expect(counts).toEqual([5, 2, 0]);
    for (let n = 0; n < 3; n++)
      expect(await records.read({ ...draft.id, key: `new${n}` })).toMatchObject({ status: 'COMPLETED' });
  });

  withRecords(
    'left in progress for longer than is allowed: FAILED, or INDETERMINATE where an effect may outlive the record; younger ones are let be',
    async ({ records, db }) => {
      const left = { count: 1, status: 'IN_PROGRESS', expiresAt: `now() + interval '1 hour'` };
      const long = { ...left, updatedAt: `now() - interval '901 seconds'` };
      await insertAged(db, { ...long, prefix: 'nothing' });
      await insertAged(db, { ...long, prefix: 'charged', effectsBeganAt: `now() - interval '902 seconds'` });
      await insertAged(db, { ...left, prefix: 'younger', updatedAt: `now() - interval '600 seconds'` });
      await insertAged(db, { ...long, prefix: 'settled', status: 'COMPLETED' });
      const marked = await records.markAbandoned(10, 900_000);
      expect([...marked].sort((a, b) => a.key.localeCompare(b.key))).toEqual([
        { procedure: 'echo', key: 'charged1', status: 'INDETERMINATE' },
        { procedure: 'echo', key: 'nothing1', status: 'FAILED' },
      ]);
      const read = async (key: string) => records.read({ scope: '["ann"]', key });
      expect(await read('nothing1')).toMatchObject({
        status: 'FAILED',
        outcome: { status: 'FAILED', code: 'PRECONDITION_FAILED' },
      });
      expect(await read('charged1')).toMatchObject({ status: 'INDETERMINATE', outcome: undefined });
      expect(await read('younger1')).toMatchObject({ status: 'IN_PROGRESS' });
      expect(await read('settled1')).toMatchObject({ status: 'COMPLETED', outcome: { body: '"aged"' } });
      // It was to be kept for 25 hours, and is, from now on.
      expect((await read('nothing1'))?.leftMs).toBeGreaterThan(24.9 * 3_600_000);
      expect(await records.markAbandoned(10, 900_000)).toEqual([]);
    },
  );

  withRecords(
    'what is in progress or indeterminate is never deleted, however long ago it expired',
    async ({ records, db }) => {
      for (const status of ['IN_PROGRESS', 'INDETERMINATE'])
        await insertAged(db, { count: 2, prefix: status, status });
      await insertAged(db, { count: 2, prefix: 'failed', status: 'FAILED' });
      expect(await records.deleteExpired(10)).toMatchObject({ count: 2 });
      const { rows } = await db.query('SELECT DISTINCT status FROM idempotency_records ORDER BY status');
      expect(rows.map(({ status }) => status).sort()).toEqual(['INDETERMINATE', 'IN_PROGRESS'].sort());
    },
  );

  withRecords('a probe tells what has settled from what nobody holds', async ({ records }) => {
    expect(await records.probe(draft.id)).toEqual({ kind: 'absent' });
    await records.transact(draft, oneEffect());
    expect(await records.probe(draft.id)).toMatchObject({ kind: 'found', record: { outcome: done } });
  });

  withRecords('a probe, a read and closing the store leave nothing behind', async ({ records, db }) => {
    await records.probe(draft.id);
    await records.read(draft.id);
    await records.close();
    expect((await db.query('SELECT * FROM idempotency_records')).rows).toEqual([]);
    expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'settled' });
  });

  withRecords('migrating again changes nothing', async ({ records, db }) => {
    await records.transact(draft, oneEffect());
    const before = (await db.query('SELECT * FROM idempotency_migrations ORDER BY number')).rows;
    await records.migrate();
    expect((await db.query('SELECT * FROM idempotency_migrations ORDER BY number')).rows).toEqual(before);
    expect(await records.read(draft.id)).toMatchObject({ status: 'COMPLETED' });
  });
}
