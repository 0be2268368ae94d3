import { initTRPC, TRPCError } from '@trpc/server';
import type { Once } from '@trpc-once/server';
import { bank } from './bank-contract.js';
import type { Sql } from './bank-tables.js';

export interface BankContext {
  readonly user: string | null;
}

/** Where a test takes hold of a handler: it may wait, throw, or write besides. */
export interface BankHooks {
  /** In the transaction, before anything is written. */
  before?(call: { readonly path: string; readonly key: string; readonly tx: Sql }): void | Promise<void>;
  /** In the transaction, after everything is written. */
  after?(call: { readonly path: string; readonly key: string; readonly tx: Sql }): void | Promise<void>;
  /** May set response headers of `echo`. */
  headers?(headers: { set(name: string, value: string): void }): void;
  /** What `echo` gives back instead of its input. */
  echo?(input: unknown): unknown;
}

const t = initTRPC.context<BankContext>().create({ isDev: false });

/** Runs before every claim, and again on every replay. */
const known = t.procedure.use(({ ctx, next }) => {
  if (ctx.user === 'banned') throw new TRPCError({ code: 'FORBIDDEN', message: 'banned' });
  return next({ ctx: { principal: ctx.user } });
});

export function bankRouter(once: Once<BankContext, Sql>, db: Sql, hooks: BankHooks) {
  type Move = { from: string; to: string; cents: number };
  type Call = { path: string; key: string; tx: Sql };

  async function move({ from, to, cents }: Move, { path, key, tx }: Call, poor: (balance: number) => Error) {
    await hooks.before?.({ path, key, tx });
    const { rows: ledger } = await tx.query(
      'INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, $3) RETURNING id',
      [path, key, cents],
    );
    const { rows: paid } = await tx.query(
      'UPDATE accounts SET cents = cents - $2 WHERE id = $1 AND cents >= $2 RETURNING cents::int',
      [from, cents],
    );
    if (!paid[0]) {
      const { rows } = await tx.query('SELECT cents::int FROM accounts WHERE id = $1', [from]);
      throw poor(rows[0]?.cents ?? 0);
    }
    await tx.query('UPDATE accounts SET cents = cents + $2 WHERE id = $1', [to, cents]);
    await hooks.after?.({ path, key, tx });
    return { id: ledger[0].id as number, balanceCents: paid[0].cents as number };
  }

  return once.implement(
    bank,
    { procedure: known },
    {
      transfer: ({ input, errors, ...call }) =>
        move(input, call, (balanceCents) => errors.INSUFFICIENT_FUNDS({ balanceCents })),
      refund: ({ input, ...call }) =>
        move({ ...input, from: input.to, to: input.from }, call, () => new Error('nothing to refund')),
      async echo({ input, path, key, tx, headers }) {
        await hooks.before?.({ path, key, tx });
        await tx.query('INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, 0)', [path, key]);
        await hooks.after?.({ path, key, tx });
        hooks.headers?.(headers);
        return hooks.echo ? hooks.echo(input) : input;
      },
      async tick({ path, key, tx }) {
        await hooks.before?.({ path, key, tx });
        await tx.query('INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, 0)', [path, key]);
      },
      async balance({ input }) {
        const { rows } = await db.query('SELECT cents::int FROM accounts WHERE id = $1', [input]);
        return rows[0]?.cents ?? 0;
      },
    },
  );
}
