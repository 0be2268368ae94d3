import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

const Transfer = z.object({
  from: z.string(),
  to: z.string(),
  cents: z.number().int().positive(),
  note: z.string().optional(),
});

const Receipt = z.object({ id: z.number().int(), balanceCents: z.number().int() });

const leaseMs = 1_000;

/** A bank with one promise to keep: every transfer is one row in the ledger, however often it was asked for. */
export const bank = defineContract({
  transfer: procedure
    .input(Transfer)
    .output(Receipt)
    .errors({
      INSUFFICIENT_FUNDS: { code: 'CONFLICT', data: z.object({ balanceCents: z.number().int() }) },
    })
    .idempotent({ leaseMs })
    .mutation(),
  /** The same input as `transfer`, so that a key can be used at the wrong procedure. */
  refund: procedure.input(Transfer).output(Receipt).idempotent({ leaseMs }).mutation(),
  /** Gives back what it got, and writes a ledger row. */
  echo: procedure.input(z.unknown()).output(z.unknown()).idempotent({ leaseMs }).mutation(),
  /** Takes and gives nothing. */
  tick: procedure.idempotent({ leaseMs }).mutation(),
  balance: procedure.input(z.string()).output(z.number()).query(),
});
