import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@trpc-once/faulty-network';
import { between, drawByWeight, type Random } from '../draw.js';

/** Something that goes wrong, and is put right again before `inject` returns. */
export interface Fault {
  readonly kind: string;
  /** How often it is drawn, relative to the others of its lane. */
  readonly weight: number;
  inject(random: Random): Promise<void>;
}

/** Faults of one thing, one after the other, so that none is injected into what another has broken already. */
export interface Lane {
  readonly name: string;
  /** Between two faults, in milliseconds. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly faults: readonly Fault[];
}

export interface Injected {
  readonly kind: string;
  readonly lane: string;
  /** Epoch milliseconds. */
  readonly from: number;
  to: number;
}

/** Draws faults until it is stopped, and returns when the last one is put right. All lanes run at the same time. */
export async function runLane(
  lane: Lane,
  { seed, signal, note }: { seed: number; signal: AbortSignal; note: (injected: Injected) => void },
): Promise<void> {
  const random = randomFrom('chaos', seed, lane.name);
  for (;;) {
    await delay(between(lane.pauseMs, random), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const fault = drawByWeight(lane.faults, ({ weight }) => weight, random);
    const injected = { kind: fault.kind, lane: lane.name, from: Date.now(), to: Number.POSITIVE_INFINITY };
    note(injected);
    await fault.inject(random);
    injected.to = Date.now();
  }
}

/** Waits for a drawn while, in milliseconds. */
export async function hold(range: readonly [number, number], random: Random): Promise<void> {
  await delay(between(range, random));
}
