import type { Executor } from '../../database/executor.js';
import { openAccount } from '../../database/seed.js';
import type { Plan } from '../plan.js';

/** Whoever reads the drill's last lines and tries the shop out. */
export const visitor = { id: 'ada', balanceCents: 100_000 } as const;

/** Opens the accounts of the plan's customers, and the visitor's. The tables are there once a server has started. */
export async function openAccounts(db: Executor, { customers }: Plan): Promise<void> {
  for (const { accountId, balanceCents } of customers) await openAccount(db, { id: accountId, balanceCents });
  await openAccount(db, visitor);
}
