import { setTimeout as delay } from 'node:timers/promises';
import { between, type Random } from '../../soak/draw.js';
import { deliverCups, type Stage } from './open-stage.js';

export interface Trouble {
  readonly stage: Stage;
  readonly random: Random;
  readonly signal: AbortSignal;
  note(who: string, what: string): void;
}

/** Kills the shop's process now and then and starts it again, and has the cups delivered that were sold out. */
export async function troubleShop({ stage, random, signal, note }: Trouble): Promise<void> {
  for (;;) {
    await delay(between([6_000, 25_000], random), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    note('shop', 'killed -9');
    await stage.shop.kill();
    await delay(between([0, 1_500], random));
    await stage.shop.start();
    await deliverCups(stage.db);
    note('shop', 'is back');
  }
}
