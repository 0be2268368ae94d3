import { randomFrom } from '@trpc-once/faulty-network';
import type { TransferInput } from '../bank/soak-contract.js';
import { accounts, pauper } from '../bank/soak-tables.js';
import { drawByWeight, pick } from '../draw.js';
import type { Fate } from '../log/entry.js';

const manners = { plain: 70, poor: 12, declined: 6, flaky: 12 } as const;

/** What the operation of that name is: the same for every process that calls it. */
export function plannedOperation(seed: number, name: string): { fate: Fate; input: TransferInput } {
  const random = randomFrom('app operation', seed, name);
  const kinds = Object.keys(manners) as (keyof typeof manners)[];
  const kind = drawByWeight(kinds, (one) => manners[one], random);
  const [from, to] = [pick(accounts, random), pick(accounts, random)];
  return {
    fate: kind === 'poor' ? 'declared' : kind === 'declined' ? 'declined' : 'effect',
    input: {
      reference: name,
      from: kind === 'poor' ? pauper : from,
      to: to === from ? (accounts.find((account) => account !== from) as string) : to,
      cents: 2 + Math.floor(random() * 500),
      manner: kind === 'poor' ? 'plain' : kind,
      dwellMs: Math.floor(random() * random() * 700),
      padding: 'x'.repeat(Math.floor(random() * 120)),
    },
  };
}
