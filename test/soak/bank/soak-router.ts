import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { initTRPC, TRPCError } from '@trpc/server';
import type { Once } from '@trpc-once/server';
import type { Sql } from '../../bank/bank-tables.js';
import { type ReceiptOutput, soakBank, type TransferInput } from './soak-contract.js';

export interface SoakContext {
  readonly user: string | null;
  /** Names the HTTP request, so that the ledger tells which one an effect came from. */
  readonly attempt: string;
}

interface Move {
  readonly input: TransferInput;
  readonly ctx: SoakContext;
  readonly key: string;
  readonly path: string;
  readonly tx: Sql;
  readonly errors: { INSUFFICIENT_FUNDS(data: { balanceCents: number; run: string }): Error };
}

const t = initTRPC.context<SoakContext>().create({ isDev: false });

export function soakRouter(once: Once<SoakContext, Sql>) {
  return once.implement(
    soakBank,
    { procedure: t.procedure },
    {
      transfer: (call) => move(call),
      reverse: ({ input, ...call }) => move({ ...call, input: { ...input, from: input.to, to: input.from } }),
    },
  );
}

async function move({ input, ctx, key, path, tx, errors }: Move): Promise<ReceiptOutput> {
  const { reference, from, to, cents, manner, padding } = input;
  const run = randomUUID();
  const dwell = dwellSomewhere(input.dwellMs);
  await dwell();
  const { rows: ledger } = await tx.query(
    `INSERT INTO ledger (principal, key, reference, attempt, procedure, sender, recipient, cents)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [ctx.user, key, reference, ctx.attempt, path, from, to, cents],
  );
  await dwell();
  const { rows: paid } = await tx.query(
    'UPDATE accounts SET cents = cents - $2 WHERE id = $1 AND cents >= $2 RETURNING cents::int',
    [from, cents],
  );
  if (!paid[0]) {
    const { rows } = await tx.query('SELECT cents::int FROM accounts WHERE id = $1', [from]);
    throw errors.INSUFFICIENT_FUNDS({ balanceCents: rows[0].cents, run });
  }
  await dwell();
  await tx.query('UPDATE accounts SET cents = cents + $2 WHERE id = $1', [to, cents]);
  await dwell();
  if (manner === 'declined') throw new TRPCError({ code: 'BAD_REQUEST', message: `declined by run ${run}` });
  if (manner === 'doomed') throw new Error('doomed');
  if (manner === 'flaky' && Math.random() < 0.5) throw new Error('flaky');
  return { id: ledger[0].id, reference, balanceCents: paid[0].cents, run, padding };
}

/** At one of four places: with nothing written, with row locks held, or with all written and nothing committed. */
function dwellSomewhere(dwellMs: number): () => Promise<void> {
  let left = Math.floor(Math.random() * 4);
  return async () => {
    if (left-- === 0 && dwellMs > 0) await delay(dwellMs);
  };
}
