import { TransactionMisuseError } from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import { openPGlite, openPostgres } from './records-stores.js';
import { done, draft, effectCount, oneEffect, rejection, told } from './records-suite.js';

const pools = [
  ['plain', false],
  ['pipelining', true],
] as const;

describe.each([
  ...pools.map(([name, pipeline]) => [`${name} pool`, () => openPostgres(pipeline)] as const),
  ['PGlite', openPGlite] as const,
])('the tx of a %s stays within its transaction', (_, open) => {
  test('a statement after the handler has returned is refused, and was not sent', async () => {
    await using opened = await open();
    let kept: { query(text: string): Promise<unknown> } | undefined;
    await opened.records.transact(draft, async (tx) => {
      kept = tx;
      return done;
    });
    await expect(kept?.query('INSERT INTO effects VALUES (1)')).rejects.toThrow(TransactionMisuseError);
    await opened.records.transact({ ...draft, id: { ...draft.id, key: 'k2' } }, async () => done);
    expect(await effectCount(opened.db)).toBe(0);
  });

  test.each(['COMMIT', 'ROLLBACK', '/* now */ end', 'INSERT INTO effects VALUES (2); COMMIT'])(
    'a handler that sends %j is stopped, and nothing is kept',
    async (text) => {
      await using opened = await open();
      const pending = opened.records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        await tx.query(text);
        return done;
      });
      expect(await rejection(pending)).toBeInstanceOf(TransactionMisuseError);
      expect(await effectCount(opened.db)).toBe(0);
      expect(await opened.records.read(draft.id)).toBeUndefined();
    },
  );

  test('a COMMIT inside a procedure or a DO block is refused by Postgres itself, and nothing is kept', async () => {
    await using opened = await open();
    const pending = opened.records.transact(draft, async (tx) => {
      await oneEffect()(tx);
      await tx.query('DO $$ BEGIN COMMIT; END $$');
      return done;
    });
    expect(told(await rejection(pending))).toContain('invalid transaction termination');
    expect(await effectCount(opened.db)).toBe(0);
  });

  test('the text of the error that the handler swallowed is in the cause', async () => {
    await using opened = await open();
    const pending = opened.records.transact(draft, async (tx) => {
      await tx.query('SELECT no_such_function()').catch(() => {});
      return done;
    });
    expect(told(await rejection(pending))).toContain('no_such_function');
  });
});

describe.each(pools)('a %s pool', (_, pipeline) => {
  test.each(['40001', '40P01'])(
    'a %s that the handler swallowed is what the transaction rejects with',
    async (code) => {
      await using opened = await openPostgres(pipeline);
      for (const end of [async () => done, () => Promise.reject(new Error('out of stock'))]) {
        const pending = opened.records.transact(draft, async (tx) => {
          await tx
            .query(`DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '${code}'; END $$`)
            .catch(() => {});
          return end();
        });
        expect(await rejection(pending)).toMatchObject({ code });
      }
    },
  );

  test.each(['hold', 'find', 'insert'])(
    'where the name of "%s" stands for another statement on this connection, writes and record still settle together or not at all',
    async (which) => {
      await using opened = await openPostgres(pipeline);
      await opened.records.transact({ ...draft, id: { ...draft.id, key: 'k0' } }, async () => done);
      const { rows } = await opened.pool.query('SELECT name FROM pg_prepared_statements WHERE name LIKE $1', [
        `once_${which}_%`,
      ]);
      expect(rows).toHaveLength(1);

      // Another version of this library was here first.
      await using other = await openPostgres(pipeline);
      await other.pool.query({ name: rows[0].name, text: 'SELECT 1' });
      await rejection(other.records.transact(draft, oneEffect()));
      expect(await effectCount(other.db)).toBe(0);
      expect(await other.records.read(draft.id).catch(() => undefined)).toBeUndefined();
    },
  );

  test('a pooler that loses prepared statements is noticed once, and from then on none are prepared', async () => {
    await using opened = await openPostgres(pipeline);
    const { records, pool, db } = opened;
    await records.transact({ ...draft, id: { ...draft.id, key: 'k0' } }, async () => done);
    await pool.query('DEALLOCATE ALL');
    const error = await rejection(records.transact(draft, oneEffect()));
    expect(error).toMatchObject({ code: '26000' });
    expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'settled' });
    await pool.query('DEALLOCATE ALL');
    expect(await records.transact(draft, oneEffect())).toMatchObject({ kind: 'found' });
    expect(await effectCount(db)).toBe(1);
  });

  test('callbacks, configs and named statements go through tx as through pg', async () => {
    await using opened = await openPostgres(pipeline);
    await opened.records.transact(draft, async (tx) => {
      const query = tx.query as (...args: unknown[]) => any;
      const config = { name: 'mine', text: 'INSERT INTO effects VALUES ($1) RETURNING id', values: [1] };
      expect((await query(config)).rows).toEqual([{ id: 1 }]);
      const rows = await new Promise((resolve, reject) =>
        query('SELECT 1 AS one', (error: unknown, result: { rows: unknown }) =>
          error ? reject(error) : resolve(result.rows),
        ),
      );
      expect(rows).toEqual([{ one: 1 }]);
      await expect(query({ text: 'COMMIT' })).rejects.toThrow(TransactionMisuseError);
      const heard = new Promise((resolve) => query('COMMIT', resolve));
      expect(await heard).toBeInstanceOf(TransactionMisuseError);
      return done;
    });
    expect(await effectCount(opened.db)).toBe(1);
  });
});
