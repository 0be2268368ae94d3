import type { Outcome } from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import type { Sql } from '../bank/bank-tables.js';
import { type OpenRecords, openOrm, openPostgres } from './records-stores.js';
import { done, draft } from './records-suite.js';

const levels = ['read committed', 'repeatable read', 'serializable'] as const;

/** Makes a level the database's default, for every connection from now on. */
async function isolate(db: Sql, level: (typeof levels)[number]): Promise<void> {
  await db.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L',
    current_database(), '${level}'); END $$`);
  await db.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
}

const id = (key: string | number) => ({ ...draft.id, key: `0197b2c4-${key}` });

/** Work that leaves its number, as an effect and as its outcome. */
const numbered =
  (n: number) =>
  async (tx: Sql): Promise<Outcome> => {
    await tx.query('INSERT INTO effects VALUES ($1)', [n]);
    return { status: 'COMPLETED', body: `${n}` };
  };

describe.each(
  levels.flatMap((level) =>
    [
      ['a plain pool', () => openPostgres(false)] as const,
      ['a pipelining pool', () => openPostgres(true)] as const,
      ['an ORM', () => openOrm()] as const,
    ].map(([name, open]) => [level, name, open] as const),
  ),
)('where transactions are %s unless they say otherwise, through %s', (level, _, open) => {
  async function opened(): Promise<OpenRecords> {
    const ready = await open();
    await isolate(ready.db, level);
    let shown: string | undefined;
    // The first may meet a connection that has just been ended.
    await expect
      .poll(
        () =>
          ready.records
            .transact({ ...draft, id: id('first') }, async (tx) => {
              shown = (await tx.query('SHOW transaction_isolation')).rows[0].transaction_isolation;
              return done;
            })
            .then(({ kind }) => kind, String),
        { timeout: 10_000 },
      )
      .toMatch(/settled|found/);
    expect(shown).toBe(level);
    return ready;
  }

  test('attempts at one operation leave one effect and tell one outcome', async () => {
    await using ready = await opened();
    const { records, db } = ready;
    const outcomes = new Set<string>();
    for (let key = 1; key <= 5; key++) {
      const attempts = Array.from({ length: 8 }, async (_each, n) => {
        const end = await records.transact({ ...draft, id: id(key) }, numbered(key * 100 + n));
        if (end.kind === 'settled') outcomes.add(end.outcome.body);
        if (end.kind === 'found') outcomes.add(end.record.outcome?.body as string);
      });
      // A serializable one may be told to run again; whoever calls this does.
      await Promise.allSettled(attempts);
    }
    const { rows } = await db.query('SELECT id FROM effects ORDER BY id');
    expect([...outcomes].map(Number).sort((a, b) => a - b)).toEqual(rows.map((row) => row.id));
  });

  test('fifty different operations at once do not stand in each other’s way', async () => {
    await using ready = await opened();
    const ends = await Promise.all(
      Array.from({ length: 50 }, (_each, n) =>
        ready.records.transact({ ...draft, id: id(n) }, numbered(n)).then(({ kind }) => kind, String),
      ),
    );
    expect(ends).toEqual(Array(50).fill('settled'));
  });
});
