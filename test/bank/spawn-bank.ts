import { type Program, spawnProgram } from '../resources/index.js';
import type { BankOrder } from './bank-program.js';
import type { OpenBank } from './open-bank.js';

export interface BankProcess extends Program<{ url: string }> {
  readonly url: string;
  /** From now on the process kills itself (-9) when an attempt reaches this point. */
  dieAt(point: BankOrder['at']): Promise<void>;
  /** The next attempt that reaches this point halts there until `goOn`; its process lives, and renews its claim. */
  haltAt(point: BankOrder['at']): Promise<void>;
  /** Resolves when an attempt has halted. */
  halted(): Promise<void>;
  goOn(): void;
}

/** Where the stores are. */
export interface BankStores extends Pick<OpenBank, 'redisUrl' | 'redisPrefix'> {
  readonly database: { readonly url: string };
}

/** A server instance over the stores of `bank`, in a process of its own. */
export async function spawnBank(bank: BankStores): Promise<BankProcess> {
  const program = await spawnProgram<{ url: string }>(new URL('./bank-program.ts', import.meta.url), {
    env: { DATABASE_URL: bank.database.url, REDIS_URL: bank.redisUrl, REDIS_PREFIX: bank.redisPrefix },
  });
  const give = async (order: BankOrder): Promise<void> => {
    program.tell('order', order);
    await program.hear('ordered');
  };
  return {
    ...program,
    url: program.ready.url,
    dieAt: (at) => give({ do: 'die', at }),
    haltAt: (at) => give({ do: 'halt', at }),
    halted: () => program.hear('halted'),
    goOn: () => program.tell('go on'),
  };
}
