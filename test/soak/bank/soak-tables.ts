import type { Sql } from '../../bank/bank-tables.js';

/** Enough that two transfers rarely meet at one, and few enough that some do, and deadlock. */
export const accounts: readonly string[] = Array.from({ length: 300 }, (_, n) => `account-${n}`);

/** Nothing is ever paid into it, so whoever pays from it always has too little. */
export const pauper = 'pauper';

const openingCents = 1_000_000_00;
const pauperCents = 1;

export function openingBalance(account: string): number {
  return account === pauper ? pauperCents : openingCents;
}

/** Accounts with their opening balances, and an empty ledger that says whose attempt wrote each row. */
export async function createSoakTables(db: Sql): Promise<void> {
  await db.query('CREATE TABLE accounts (id text PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0))');
  await db.query(`CREATE TABLE ledger (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    principal text NOT NULL, key text NOT NULL, reference text NOT NULL, attempt text NOT NULL,
    procedure text NOT NULL, sender text NOT NULL, recipient text NOT NULL, cents bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp())`);
  const all = [...accounts, pauper];
  await db.query('INSERT INTO accounts SELECT * FROM unnest($1::text[], $2::bigint[])', [
    all,
    all.map(openingBalance),
  ]);
}
