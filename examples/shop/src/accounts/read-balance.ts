import type { Balance } from '../contract.js';
import type { Executor } from '../database/executor.js';
import { integer } from '../database/integer.js';

/** @throws Error when the account was never opened. */
export async function readBalance(db: Executor, accountId: string): Promise<Balance> {
  const { rows } = await db.query('SELECT balance_cents FROM accounts WHERE id = $1', [accountId]);
  if (!rows[0]) throw new Error(`account ${accountId} is signed in but was never opened`);
  return { accountId, balanceCents: integer(rows[0].balance_cents) };
}
