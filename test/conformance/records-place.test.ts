import { TransactionMisuseError } from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { effects, oneEuro, send, startBank } from '../bank/index.js';
import { said } from '../faults/answer.js';
import { openOrm, openPGlite, openPostgres } from './records-stores.js';
import { done, draft, effectCount, oneEffect, rejection, told } from './records-suite.js';

const stores = [
  ['a plain pool', () => openPostgres(false)],
  ['a pipelining pool', () => openPostgres(true)],
  ['an ORM', openOrm],
  ['PGlite', openPGlite],
] as const;

describe.each(stores)('the record goes where the hold was taken, whatever a handler sets (%s)', (_, open) => {
  test.each([
    ['a search path to a schema with such a table of its own', 'SET LOCAL search_path = elsewhere'],
    ['a search path to nowhere', `SET LOCAL search_path = ''`],
    [
      'a temporary table of that name',
      'CREATE TEMP TABLE idempotency_records (LIKE public.idempotency_records) ON COMMIT DROP',
    ],
  ])('%s', async (_what, statement) => {
    await using opened = await open();
    const { records, db } = opened;
    await db.query('CREATE SCHEMA "elsewhere"');
    await db.query(
      'CREATE TABLE elsewhere.idempotency_records (LIKE public.idempotency_records INCLUDING ALL)',
    );
    const settled = await records.transact(draft, async (tx) => {
      await oneEffect()(tx);
      await tx.query(statement);
      return done;
    });
    expect(settled).toMatchObject({ kind: 'settled' });
    await db.query('DROP SCHEMA elsewhere CASCADE');
    expect(await records.read(draft.id)).toMatchObject({ outcome: done });
    expect(await records.transact(draft, oneEffect(2))).toMatchObject({ kind: 'found' });
    expect(await effectCount(db)).toBe(1);
  });

  test('a role that may not write records fails loudly, and nothing is kept', async () => {
    await using opened = await open();
    const { records, db } = opened;
    const role = `guest_${Math.random().toString(36).slice(2)}`;
    await db.query(`CREATE ROLE ${role}`);
    await db.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
    await db.query(`GRANT INSERT ON effects TO ${role}`);
    const pending = records.transact(draft, async (tx) => {
      await tx.query(`SET LOCAL ROLE ${role}`);
      return oneEffect()(tx);
    });
    expect(told(await rejection(pending))).toContain('permission denied for table idempotency_records');
    await db.query(`DROP OWNED BY ${role}`);
    await db.query(`DROP ROLE ${role}`);
    expect(await effectCount(db)).toBe(0);
    expect(await records.read(draft.id)).toBeUndefined();
  });
});

describe('a handler that ends the transaction itself, through an ORM that lets it', () => {
  test.each([
    ['and returns', ['COMMIT'], false],
    ['and begins another', ['COMMIT', 'BEGIN'], false],
    ['by a rollback, and begins another', ['ROLLBACK', 'BEGIN'], false],
    ['and throws', ['COMMIT'], true],
    ['and begins another, and throws', ['COMMIT', 'BEGIN'], true],
  ] as const)(
    '%s: no record is written by itself, and the error says what to do',
    async (_, statements, throws) => {
      await using opened = await openOrm();
      const { records } = opened;
      const pending = records.transact(draft, async (tx) => {
        await oneEffect()(tx);
        for (const statement of statements) await tx.query(statement);
        if (throws) throw new Error('no');
        return done;
      });
      const error = await rejection(pending);
      expect(error).toBeInstanceOf(TransactionMisuseError);
      expect(error.message).toContain('Throw to roll back, return to commit');
      expect(await records.read(draft.id)).toBeUndefined();
    },
  );

  test('is answered with unknown, since nobody can take back what it committed, and the operator is told', async () => {
    await using opened = await openOrm();
    const { records, db } = opened;
    await createBankTables(db);
    const after = ({ tx }: { tx: Sql }) => tx.query('COMMIT').then(() => {});
    await using bank = await startBank({ db, records: records as never, hooks: { after } });
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(said(answer)).toBe('unknown');
    expect(answer.text).not.toContain('transaction');
    expect(bank.events).toContainEqual({
      type: 'misused',
      call: { procedure: 'transfer', key: 'k1' },
      error: expect.any(TransactionMisuseError),
    });
    expect(await effects(db)).toBe(1);
  });
});
