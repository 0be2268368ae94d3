import type { Direction, TcpProxy } from '@trpc-once/faulty-network';
import { between, pick, type Random } from '../draw.js';
import { type Fault, hold } from './lane.js';

export interface LineFaultOptions {
  /** What the lines lead to, for the faults' names. */
  readonly to: string;
  /** One is drawn for each fault. */
  readonly lines: readonly TcpProxy[];
  /** A cut comes after at most so many bytes: a few times what one call takes. */
  readonly cutWithinBytes: number;
  /** How much a slow line delays each way, in milliseconds. */
  readonly slowMs: readonly [number, number];
}

const directions: readonly Direction[] = ['to-upstream', 'to-client'];

/** What can happen to any connection. */
export function lineFaults({ to, lines, cutWithinBytes, slowMs }: LineFaultOptions): readonly Fault[] {
  const one = (random: Random): TcpProxy => pick(lines, random);
  return [
    {
      kind: `${to}: cut at a random byte`,
      weight: 6,
      async inject(random) {
        const line = one(random);
        const cuts = 1 + Math.floor(random() * 3);
        for (let cut = 0; cut < cuts; cut++) {
          const bytes = Math.floor(random() * cutWithinBytes);
          // Where nothing passes any more nothing is cut, and the wire waits for the next byte.
          await Promise.race([line.cutAfterBytes(bytes, pick(directions, random)), hold([500, 500], random)]);
        }
      },
    },
    {
      kind: `${to}: all connections reset`,
      weight: 2,
      async inject(random) {
        one(random).cut('reset');
      },
    },
    {
      kind: `${to}: partitioned`,
      weight: 3,
      async inject(random) {
        const line = one(random);
        line.pause();
        await hold([300, 3_500], random);
        line.resume();
      },
    },
    {
      kind: `${to}: refused`,
      weight: 1,
      async inject(random) {
        const line = one(random);
        line.refuse();
        line.cut('close');
        await hold([200, 1_500], random);
        await line.accept();
      },
    },
    {
      kind: `${to}: slow`,
      weight: 2,
      async inject(random) {
        const line = one(random);
        line.delay(between(slowMs, random));
        await hold([500, 2_500], random);
        line.delay(0);
      },
    },
  ];
}
