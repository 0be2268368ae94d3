import { randomFrom } from '@trpc-once/faulty-network';
import type { TransferInput } from '../bank/soak-contract.js';
import { accounts, pauper } from '../bank/soak-tables.js';
import { drawByWeight, pick, type Random } from '../draw.js';
import type { Fate } from '../log/entry.js';

/** What a client does once it has its outcome, to see that it stays what it was. */
export type FollowUp = 'ask-again' | 'another-input' | 'another-procedure';

export interface PlannedOperation {
  readonly operation: string;
  readonly principal: string;
  readonly fate: Fate;
  readonly path: 'transfer';
  readonly input: TransferInput;
}

/** Operations that are sent with one key at the same time: one as a rule, else two that contend or must not meet. */
export interface PlannedKey {
  readonly operations: readonly PlannedOperation[];
  readonly followUps: readonly FollowUp[];
}

const kinds = {
  plain: 55,
  /** Longer than its lease. */
  slow: 6,
  poor: 8,
  flaky: 10,
  declined: 5,
  doomed: 4,
  /** One principal, one key, two inputs. */
  contested: 8,
  /** Two principals, one key. */
  twins: 8,
} as const;

type Kind = keyof typeof kinds;

/** Kinds that the client library's own operations are of: it never uses a key twice. */
const singleKinds = ['plain', 'slow', 'poor', 'flaky', 'declined'] as const satisfies readonly Kind[];

/** The `n`th thing that `who` does: the same for the same seed. */
export function planKey(seed: number, who: string, n: number): PlannedKey {
  const random = randomFrom('operation', seed, who, n);
  const kind = drawByWeight(Object.keys(kinds) as Kind[], (one) => kinds[one], random);
  const name = `${who}-${n}`;
  const one = planned(kind, { name, principal: 'ann', random });
  return {
    operations:
      kind === 'contested'
        ? [one, planned(kind, { name: `${name}-rival`, principal: 'ann', random })]
        : kind === 'twins'
          ? [one, planned(kind, { name: `${name}-twin`, principal: 'bob', random })]
          : [one],
    // Where nothing settled, the key is free, and another input would be a new operation.
    followUps: one.fate === 'doomed' || one.fate === 'contested' ? [] : followUps(random),
  };
}

export function planSingle(seed: number, who: string, n: number): PlannedOperation {
  const random = randomFrom('operation', seed, who, n);
  return planned(
    drawByWeight(singleKinds, (one) => kinds[one], random),
    { name: `${who}-${n}`, principal: who, random },
  );
}

const fates: Readonly<Record<Kind, Fate>> = {
  plain: 'effect',
  slow: 'effect',
  poor: 'declared',
  flaky: 'effect',
  declined: 'declined',
  doomed: 'doomed',
  contested: 'contested',
  twins: 'effect',
};

interface Draw {
  readonly name: string;
  readonly principal: string;
  readonly random: Random;
}

function planned(kind: Kind, { name, principal, random }: Draw): PlannedOperation {
  const from = pick(accounts, random);
  const others = accounts.filter((account) => account !== from);
  const dwellMs = Math.floor(kind === 'slow' ? 1_200 + random() * 1_300 : random() * random() * 1_000);
  return {
    operation: name,
    principal,
    fate: fates[kind],
    path: 'transfer',
    input: {
      reference: name,
      from: kind === 'poor' ? pauper : from,
      to: pick(others, random),
      cents: 2 + Math.floor(random() * 500),
      manner: kind === 'flaky' || kind === 'declined' || kind === 'doomed' ? kind : 'plain',
      dwellMs,
      padding: 'x'.repeat(Math.floor(random() * 250)),
    },
  };
}

function followUps(random: Random): FollowUp[] {
  const all: readonly FollowUp[] = ['ask-again', 'ask-again', 'another-input', 'another-procedure'];
  return Array.from({ length: Math.floor(random() * 3) }, () => pick(all, random));
}
