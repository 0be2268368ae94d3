import type { Executor } from './executor.js';
import { integer } from './integer.js';

/** What the database itself says happened. The last five are zero in a shop where everything happened once. */
export interface Books {
  readonly orders: number;
  /** Ledger rows that charge for an order; deposits are not among them. */
  readonly charges: number;
  /** References that more than one order carries. For whoever gives each operation a reference of its own. */
  readonly repeatedReferences: number;
  /** Orders that not exactly one ledger row of the same account and amount charges for. */
  readonly ordersNotChargedOnce: number;
  /** Accounts whose balance is not the sum of their ledger rows. */
  readonly balancesOff: number;
  /** Ledger rows that do not follow from the row before them in the same account. */
  readonly ledgerBreaks: number;
  /** Products of which stock and orders together are not what was delivered. */
  readonly stockOff: number;
}

/** Counts and compares everything in one statement, and so in one snapshot: it may run while orders are being placed. */
export async function readBooks(db: Executor): Promise<Books> {
  const { rows } = await db.query(`
    SELECT
      (SELECT count(*) FROM orders) AS orders,
      (SELECT count(*) FROM ledger WHERE order_id IS NOT NULL) AS charges,
      (SELECT count(*) FROM (
        SELECT FROM orders WHERE reference IS NOT NULL GROUP BY account_id, reference HAVING count(*) > 1
      ) AS repeated) AS repeated_references,
      (SELECT count(*) FROM orders o WHERE (
        SELECT count(*) FILTER (WHERE l.account_id = o.account_id AND l.amount_cents = -o.total_cents) <> 1
               OR count(*) <> 1
        FROM ledger l WHERE l.order_id = o.id
      )) AS orders_not_charged_once,
      (SELECT count(*) FROM accounts a WHERE a.balance_cents <> (
        SELECT coalesce(sum(l.amount_cents), 0) FROM ledger l WHERE l.account_id = a.id
      )) AS balances_off,
      (SELECT count(*) FROM (
        SELECT balance_cents - amount_cents AS before,
               lag(balance_cents, 1, 0) OVER (PARTITION BY account_id ORDER BY id) AS after_previous
        FROM ledger
      ) AS chain WHERE before <> after_previous) AS ledger_breaks,
      (SELECT count(*) FROM products p WHERE p.delivered <> p.stock + (
        SELECT coalesce(sum(o.quantity), 0) FROM orders o WHERE o.sku = p.sku
      )) AS stock_off`);
  const [row] = rows;
  return {
    orders: integer(row.orders),
    charges: integer(row.charges),
    repeatedReferences: integer(row.repeated_references),
    ordersNotChargedOnce: integer(row.orders_not_charged_once),
    balancesOff: integer(row.balances_off),
    ledgerBreaks: integer(row.ledger_breaks),
    stockOff: integer(row.stock_off),
  };
}
