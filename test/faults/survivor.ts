import { randomUUID } from 'node:crypto';
import { Disposal } from '../bank/disposal.js';
import { type OpenBank, openBank } from '../bank/index.js';
import { signal } from '../invariants/signal.js';
import { until } from '../resources/index.js';

/** The other server process, which nothing happens to: the test's own. Each effect says whose attempt it was of. */
export interface Survivor extends AsyncDisposable {
  readonly bank: OpenBank;
  /** Resolves when handlers of that many operations of `held` are in hand. */
  holds(count: number): Promise<void>;
  goOn(): void;
}

/** @param held the operations whose handlers wait until `goOn` */
export async function openSurvivor(held: ReadonlySet<string>): Promise<Survivor> {
  const stack = new Disposal();
  const toldToGoOn = signal();
  const inHand = new Set<string>();
  const bank = stack.use(
    await openBank({
      poolSize: 40,
      once: { lookAfterMs: 50 },
      hooks: {
        // Another one each time, so that two runs never give the same outcome by chance.
        echo: () => randomUUID(),
        async after({ key, tx }) {
          await tx.query(`INSERT INTO effect_origins VALUES ($1, 'survivor')`, [key]);
          if (!held.has(key)) return;
          inHand.add(key);
          await toldToGoOn.given;
        },
      },
    }),
  );
  stack.defer(toldToGoOn.give);
  await bank.db.query('CREATE TABLE effect_origins (key text NOT NULL, by text NOT NULL)');
  return {
    bank,
    holds: async (count) => void (await until(() => inHand.size === count)),
    goOn: toldToGoOn.give,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
