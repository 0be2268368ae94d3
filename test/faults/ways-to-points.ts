import type { FaultPoint } from '@trpc-once/server';
import type { VictimOrder } from './victim-program.js';

/** How to bring an attempt to a point. */
export interface Way {
  readonly point: FaultPoint;
  /** What is special, for the test's name. */
  readonly how?: string;
  readonly handler?: VictimOrder['handler'];
  /** The survivor runs this operation already, so that the victim's attempt is a duplicate. */
  readonly duplicate?: boolean;
  /** What the network loses on the way. */
  readonly lost?: 'COMMIT' | 'the answer to COMMIT';
}

/** At least one for each point, by its name, so that a new point does not compile without one. */
const ways: Readonly<Record<FaultPoint, readonly Omit<Way, 'point'>[]>> = {
  claiming: [{}, { how: 'of a duplicate', duplicate: true }],
  claimed: [{}, { how: 'of a duplicate', duplicate: true }],
  beginning: [{}],
  begun: [{}],
  ran: [{}, { how: 'after the handler failed', handler: 'fails' }],
  settled: [{}],
  telling: [{}],
  told: [{}],
  releasing: [{ how: 'after the handler failed', handler: 'fails' }],
  released: [{ how: 'after the handler failed', handler: 'fails' }],
  renewing: [{ how: 'of a slow handler', handler: 'is slow' }],
  renewed: [{ how: 'of a slow handler', handler: 'is slow' }],
  reading: [{ how: 'of a duplicate', duplicate: true }],
  read: [{ how: 'of a duplicate', duplicate: true }],
  watching: [{ how: 'of a duplicate', duplicate: true }],
  watched: [{ how: 'of a duplicate', duplicate: true }],
  probing: [
    { how: 'after COMMIT was lost', lost: 'COMMIT' },
    { how: 'after the answer to COMMIT was lost', lost: 'the answer to COMMIT' },
  ],
  probed: [
    { how: 'after COMMIT was lost', lost: 'COMMIT' },
    { how: 'after the answer to COMMIT was lost', lost: 'the answer to COMMIT' },
  ],
};

export const waysToPoints: readonly Way[] = Object.entries(ways).flatMap(([point, all]) =>
  all.map((way) => ({ point: point as FaultPoint, ...way })),
);

export function nameOf({ point, how }: Way): string {
  return how === undefined ? point : `${point} (${how})`;
}
