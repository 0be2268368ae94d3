import type { PGlite, Transaction } from '@electric-sql/pglite';
import { expectTypeOf, test } from 'vitest';
import type { PGliteConnection, PGliteTransaction } from './pglite.js';

test('a PGlite is one, and its transaction one of ours', () => {
  expectTypeOf<PGlite>().toExtend<PGliteConnection>();
  expectTypeOf<Transaction>().toExtend<PGliteTransaction>();
});

test('what takes the query of a PGlite takes a handler’s tx', () => {
  expectTypeOf<PGliteTransaction>().toExtend<Pick<Transaction, 'query'>>();
  expectTypeOf<PGliteTransaction>().toExtend<Pick<PGlite, 'query'>>();
});

test('a row is what it was said to be', () => {
  const rows = async (tx: PGliteTransaction) =>
    (await tx.query<{ n: number }>('SELECT 1 AS n', [], { rowMode: 'object' })).rows;
  expectTypeOf(rows).returns.resolves.toEqualTypeOf<{ n: number }[]>();
});
