import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

const Transfer = z.object({
  /** The operation's name in the soak, so that the database alone tells how often it took effect, whatever its keys. */
  reference: z.string(),
  from: z.string(),
  to: z.string(),
  cents: z.number().int().positive(),
  /** What the handler does once all is written: returns, throws now and then, turns it down, or always throws. */
  manner: z.enum(['plain', 'flaky', 'declined', 'doomed']),
  /** How long the handler stays in its transaction. */
  dwellMs: z.number().int().nonnegative(),
  /** Comes back in the receipt, to make outcomes of all lengths. */
  padding: z.string(),
});

/** `run` is made anew by every run of the handler: had it run twice, no two answers of it could be the same. */
const Receipt = z.object({
  id: z.number().int(),
  reference: z.string(),
  balanceCents: z.number().int(),
  run: z.string(),
  padding: z.string(),
});

const errors = {
  INSUFFICIENT_FUNDS: {
    code: 'CONFLICT',
    data: z.object({ balanceCents: z.number().int(), run: z.string() }),
  },
} as const;

/** So short that many leases end before their handlers do. */
const leaseMs = 1_000;

/** Where every effect is one row of a ledger. */
export const soakBank = defineContract({
  transfer: procedure.input(Transfer).output(Receipt).errors(errors).idempotent({ leaseMs }).mutation(),
  /** The same input, so that a key can come back at the wrong procedure. */
  reverse: procedure.input(Transfer).output(Receipt).errors(errors).idempotent({ leaseMs }).mutation(),
});

export type TransferInput = z.infer<typeof Transfer>;
export type ReceiptOutput = z.infer<typeof Receipt>;
