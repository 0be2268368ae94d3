import type { FaultPoint } from '@trpc-once/server';
import { type Program, spawnProgram } from '../resources/index.js';
import type { OpenBank } from './open-bank.js';

export interface BankProcess extends Program<{ url: string }> {
  readonly url: string;
  /** From now on the process kills itself (-9) when an attempt reaches this point. */
  dieAt(point: FaultPoint | 'handler'): Promise<void>;
}

/** A server instance over the stores of `bank`, in a process of its own. */
export async function spawnBank(bank: OpenBank): Promise<BankProcess> {
  const program = await spawnProgram<{ url: string }>(new URL('./bank-program.ts', import.meta.url), {
    env: { DATABASE_URL: bank.database.url, REDIS_URL: bank.redisUrl, REDIS_PREFIX: bank.redisPrefix },
  });
  return {
    ...program,
    url: program.ready.url,
    async dieAt(point) {
      program.tell('die at', point);
      await program.hear('armed');
    },
  };
}
