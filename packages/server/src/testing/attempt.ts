import type { Claim, ClaimReply } from '../claims/claim-store.js';
import { type ClaimUnavailable, type GuardedClaims, noClaims } from '../claims/guarded-claims.js';
import type { OnceEvent } from '../events/once-event.js';
import type { Answer, Call } from '../execution/call.js';
import { Executor } from '../execution/executor.js';
import { fingerprinter } from '../fingerprint/fingerprint.js';
import type { Outcome } from '../outcome/outcome.js';
import type { Probe, RecordStore, StoredRecord, Transacted } from '../records/record-store.js';

/** The outcome of every attempt here. */
export const done: Outcome = { status: 'COMPLETED', body: '1' };

/** What one attempt meets. */
export interface World {
  /** What the claim store says, one reply after the other; the last one goes on. */
  readonly claims: (ClaimReply | ClaimUnavailable)[];
  readonly transact: (draft: unknown, work: (tx: unknown) => Promise<unknown>) => Promise<Transacted>;
  readonly record: StoredRecord | undefined | Error;
  readonly probe: () => Promise<Probe>;
  readonly fingerprint: Call<unknown>['fingerprint'];
  readonly lookAfterMs: number;
  readonly findOutMs: number;
  readonly run: Call<unknown>['run'];
  readonly runTimeoutMs: number;
}

/** One attempt, in a world as told; and what it asked of the stores. */
export async function attempt(world: Partial<World>) {
  const asked: string[] = [];
  const events: OnceEvent[] = [];
  const told: unknown[] = [];
  const claimed: Claim[] = [];
  const replies = [...(world.claims ?? [{ kind: 'ACQUIRED' } as const])];
  const note = (what: string): void => void asked.push(what);
  const claims: GuardedClaims = {
    ...noClaims,
    async claim(claim) {
      note('claim');
      claimed.push(claim);
      return (replies.length > 1 ? replies.shift() : replies[0]) as ClaimReply;
    },
    async release() {
      note('release');
    },
    async settle(settled) {
      note('settle');
      told.push(settled);
    },
  };
  const records = {
    async transact(draft: unknown, work: (tx: unknown) => Promise<unknown>) {
      note('transact');
      return world.transact ? world.transact(draft, work) : { kind: 'settled', outcome: done };
    },
    async read() {
      note('read');
      if (world.record instanceof Error) throw world.record;
      return world.record;
    },
    async probe() {
      note('probe');
      return (world.probe ?? (async () => ({ kind: 'absent' })))();
    },
  } as unknown as RecordStore<unknown>;
  const executor = new Executor<unknown>({
    claims,
    records,
    emit: (event) => void events.push(event),
    lookAfterMs: world.lookAfterMs ?? 1_000,
    runTimeoutMs: world.runTimeoutMs ?? 60_000,
    findOutMs: world.findOutMs ?? 100,
  });
  const call: Call<unknown> = {
    id: { scope: '["ann"]', key: 'k1' },
    procedure: 'pay',
    fingerprint: world.fingerprint ?? fingerprinter()('pay', 1),
    retentionMs: 60_000,
    leaseMs: 30_000,
    run: world.run ?? (async () => ({ kind: 'outcome', outcome: done })),
  };
  const answer: Answer = await executor.execute(call);
  await executor.drained();
  return { answer, asked, events, told, claimed };
}
