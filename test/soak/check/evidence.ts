import type { Sql } from '../../bank/bank-tables.js';

/** One effect. */
export interface LedgerRow {
  readonly id: number;
  readonly principal: string;
  readonly key: string;
  /** The operation's name. */
  readonly reference: string;
  /** The HTTP request it came from. */
  readonly attempt: string;
  readonly procedure: string;
  readonly sender: string;
  readonly recipient: string;
  readonly cents: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface RecordRow {
  /** As it is stored: a JSON list of the principal's parts. */
  readonly scope: string;
  readonly key: string;
  readonly procedure: string;
  readonly status: string;
  readonly code: string | null;
  readonly body: string | null;
  /** Epoch milliseconds. */
  readonly settledAt: number;
}

/** What the database says happened. */
export interface Evidence {
  readonly ledger: readonly LedgerRow[];
  readonly records: readonly RecordRow[];
  readonly balances: ReadonlyMap<string, number>;
}

/** To be read when nobody writes any more. */
export async function readEvidence(db: Sql): Promise<Evidence> {
  const { rows: ledger } = await db.query(
    `SELECT id, principal, key, reference, attempt, procedure, sender, recipient, cents::int,
       (extract(epoch FROM at) * 1000)::float8 AS at FROM ledger ORDER BY id`,
  );
  const { rows: records } = await db.query(
    `SELECT scope, key, procedure, status, response_code AS code, response_body AS body,
       (extract(epoch FROM updated_at) * 1000)::float8 AS "settledAt" FROM idempotency_records`,
  );
  const { rows: balances } = await db.query('SELECT id, cents::int FROM accounts');
  return { ledger, records, balances: new Map(balances.map(({ id, cents }) => [id, cents])) };
}
