import type { GuardedClaims } from '../claims/guarded-claims.js';
import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { RecordDraft, RecordStore, Transacted } from '../records/record-store.js';

/** What an attempt asks of the stores. What only migrates, sweeps or closes is no part of one. */
type Asked = Exclude<
  keyof GuardedClaims | keyof RecordStore<unknown>,
  'close' | 'migrate' | 'deleteExpired' | 'markAbandoned' | 'space'
>;

/** The points before and after each; that every one has two is for the compiler to see. */
const around = {
  claim: ['claiming', 'claimed'],
  /** Before the transaction is opened, and after it has committed; `inside` lie between. */
  transact: ['beginning', 'settled'],
  settle: ['telling', 'told'],
  renew: ['renewing', 'renewed'],
  release: ['releasing', 'released'],
  read: ['reading', 'read'],
  probe: ['probing', 'probed'],
  watch: ['watching', 'watched'],
} as const satisfies Record<Asked, readonly [string, string]>;

const inside = [
  /** The operation is held and free, and the handler is next. */
  'begun',
  /** The handler returned or threw; its transaction is open, and COMMIT or ROLLBACK is next. */
  'ran',
] as const;

export type FaultPoint = (typeof around)[Asked][number] | (typeof inside)[number];

/**
 * Where a test can make an attempt die, hang or lose its connections: on both sides of everything that it waits for. In
 * production there are none.
 */
export const faultPoints: readonly FaultPoint[] = [...Object.values(around).flat(), ...inside];

/**
 * What happens at a point: return to go on, wait to be slow, throw to fail as the store would, or end the process.
 * A failure at `settled` is a COMMIT whose answer was lost.
 */
export type Faults = (point: FaultPoint, id: OperationId) => void | Promise<void>;

/** What an attempt works with. */
export interface Stores<TTransaction> {
  readonly claims: GuardedClaims;
  readonly records: RecordStore<TTransaction>;
}

/** Puts the points into what an attempt works with. Without faults the stores stay as they are. */
export function withFaultPoints<TTransaction>(
  stores: Stores<TTransaction>,
  faults: Faults | undefined,
): Stores<TTransaction> {
  if (!faults) return stores;
  const { claims, records } = stores;
  async function ask<T>(asked: Asked, id: OperationId, call: () => Promise<T>): Promise<T> {
    const [before, after] = around[asked];
    await faults?.(before, id);
    const answer = await call();
    await faults?.(after, id);
    return answer;
  }
  return {
    claims: {
      claim: (claim) => ask('claim', claim.id, () => claims.claim(claim)),
      renew: (claim) => ask('renew', claim.id, () => claims.renew(claim)),
      release: (claim) => ask('release', claim.id, () => claims.release(claim)),
      settle: (settled) => ask('settle', settled.id, () => claims.settle(settled)),
      watch: (id, onNews) => ask('watch', id, () => claims.watch(id, onNews)),
      close: () => claims.close(),
    },
    records: {
      transact: (draft, work) => transact(records, faults, { draft, work }),
      read: (id) => ask('read', id, () => records.read(id)),
      probe: (id) => ask('probe', id, () => records.probe(id)),
      deleteExpired: (limit, from) => records.deleteExpired(limit, from),
      markAbandoned: (limit, afterMs) => records.markAbandoned(limit, afterMs),
      migrate: () => records.migrate(),
      close: () => records.close(),
    },
  };
}

async function transact<TTransaction>(
  records: RecordStore<TTransaction>,
  faults: Faults,
  { draft, work }: { draft: RecordDraft; work: (tx: TTransaction) => Promise<Outcome> },
): Promise<Transacted> {
  const [before, after] = around.transact;
  await faults(before, draft.id);
  const transacted = await records.transact(draft, async (tx) => {
    await faults('begun', draft.id);
    try {
      return await work(tx);
    } finally {
      await faults('ran', draft.id);
    }
  });
  if (transacted.kind !== 'settled') return transacted;
  try {
    await faults(after, draft.id);
    return transacted;
  } catch (error) {
    throw new CommitUnknownError(error);
  }
}
