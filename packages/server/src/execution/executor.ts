import { randomUUID } from 'node:crypto';
import type { Claim, ClaimReply } from '../claims/claim-store.js';
import type { ClaimUnavailable } from '../claims/guarded-claims.js';
import { eventCall, type OnEvent } from '../events/once-event.js';
import type { Outcome } from '../outcome/outcome.js';
import { explained } from '../records/explained.js';
import type { StoredRecord } from '../records/record-store.js';
import { within } from '../timing/within.js';
import { inProgress, mismatch, released, storeUnavailable, unknown } from './answers.js';
import type { Answer, Call } from './call.js';
import type { Stores } from './fault-points.js';
import { findOut } from './find-out.js';
import { type Lease, leaseOf, noLease } from './lease.js';
import { retryAfterInProgress, UNKNOWN_AGE_MS } from './retry-after.js';
import { runAndSettle } from './run-and-settle.js';

export interface ExecutorOptions<TTransaction> extends Stores<TTransaction> {
  readonly emit: OnEvent;
  /** A claim older than this, in milliseconds, sends its duplicates to the record. */
  readonly lookAfterMs: number;
  /** How long the handler of one attempt may run, in milliseconds, where its call does not say. */
  readonly runTimeoutMs: number;
  /** How long to find out about an unanswered COMMIT, in milliseconds. */
  readonly findOutMs: number;
}

/**
 * One attempt, from claim to answer:
 *
 *     claim ─┬─ another has it ──────────► refused, or the record's outcome where the claim is old
 *            ├─ settled ─────────────────► replayed
 *            └─ ours, or no claim store ─► begin → run → settle ─► settled | replayed | released | unknown
 *
 * Nothing is answered from the claim alone but refusals and outcomes that the records held when the claim was written.
 */
export class Executor<TTransaction> {
  readonly #options: ExecutorOptions<TTransaction>;
  readonly #background = new Set<Promise<unknown>>();

  constructor(options: ExecutorOptions<TTransaction>) {
    this.#options = options;
  }

  async execute(call: Call<TTransaction>): Promise<Answer> {
    const claim = claimFor(call);
    const reply = await this.#claim(call, claim);
    switch (reply.kind) {
      case 'MISMATCH':
        // Where Redis lost a settled key, whoever came first with another input claimed it, and is turned away by the
        // record only now. 422 means "never", and the key's own client would believe it: so the record is asked.
        // With nothing recorded yet the refusal says when to ask again: a run of the call's own may have lost its claim.
        return this.#fromRecord(call, {
          otherwise: async () => ({ retryAfterMs: UNKNOWN_AGE_MS, ...mismatch(call, reply.fingerprint) }),
        });
      case 'SETTLED':
        return reply.outcome
          ? { kind: 'replayed', outcome: reply.outcome }
          : this.#fromRecord(call, { otherwise: () => this.#run(call, noLease) });
      case 'IN_PROGRESS': {
        const wait = inProgress(retryAfterInProgress(reply.ageMs, reply.leftMs));
        return reply.ageMs < this.#options.lookAfterMs
          ? wait
          : this.#fromRecord(call, { otherwise: async () => wait });
      }
      case 'ACQUIRED':
        return this.#withLease(call, claim);
      case 'UNAVAILABLE':
        return this.#run(call, noLease).finally(reply.abandon);
    }
  }

  /** Resolves when what was left to tell the claim store has been told. */
  async drained(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
  }

  /** A fingerprint of another version may still be of the same input: then the claim is asked for in its words. */
  async #claim(call: Call<TTransaction>, claim: Claim): Promise<ClaimReply | ClaimUnavailable> {
    const reply = await this.#options.claims.claim(claim);
    if (reply.kind !== 'MISMATCH' || call.fingerprint.compare(reply.fingerprint) !== 'same') return reply;
    return this.#options.claims.claim({ ...claim, fingerprint: reply.fingerprint });
  }

  async #withLease(call: Call<TTransaction>, claim: Claim): Promise<Answer> {
    const { claims, emit } = this.#options;
    const lease = leaseOf(claims, claim, () => emit({ type: 'lease-lost', call: eventCall(call) }));
    try {
      return await this.#run(call, lease);
    } finally {
      lease.letGo();
    }
  }

  async #run(call: Call<TTransaction>, lease: Lease): Promise<Answer> {
    const { records, emit } = this.#options;
    const ended = await runAndSettle(call, {
      records,
      runTimeoutMs: call.runTimeoutMs ?? this.#options.runTimeoutMs,
      onRunAgain: (attempt, error) => emit({ type: 'run-again', call: eventCall(call), attempt, error }),
      onFenced: () => emit({ type: 'fenced', call: eventCall(call) }),
    });
    switch (ended.kind) {
      case 'settled':
        this.#tell(call, call.fingerprint.text, ended.outcome, call.retentionMs);
        return { kind: 'settled', outcome: ended.outcome };
      case 'found':
        return this.#answerFrom(call, ended.record, lease);
      case 'busy':
        await lease.release();
        return inProgress(UNKNOWN_AGE_MS);
      case 'error':
        emit({ type: 'handler-failed', call: eventCall(call), error: ended.error });
        await lease.release();
        return { kind: 'released', error: ended.error };
      case 'timed-out':
        emit({ type: 'run-timed-out', call: eventCall(call), error: ended.error });
        return this.#afterLosing(call, ended.error, lease);
      case 'unavailable':
        this.#reportRecords(ended.error);
        if (ended.ran) return this.#afterLosing(call, ended.error, lease);
        await lease.release();
        return storeUnavailable(ended.error);
      case 'misused':
        // The claim is kept until its lease ends: what was committed cannot be taken back, nor be found by anyone.
        emit({ type: 'misused', call: eventCall(call), error: ended.error });
        return unknown(ended.error);
      case 'fenced':
        // `released` would say that nothing settled.
        this.#reportRecords(ended.error);
        return this.#findOut(call, ended.error, lease);
      case 'commit-unknown':
        emit({ type: 'commit-unknown', call: eventCall(call), error: ended.error });
        return this.#findOut(call, ended.error, lease);
    }
  }

  /** The transaction may have been lost long before its handler noticed, and another attempt have settled meanwhile. */
  async #afterLosing(call: Call<TTransaction>, error: unknown, lease: Lease): Promise<Answer> {
    const { records, findOutMs } = this.#options;
    const record = await within(records.read(call.id), findOutMs, 'the record').catch(() => undefined);
    if (record) return this.#answerFrom(call, record, lease);
    await lease.release();
    return released(error);
  }

  /** The claim is kept until the truth is known, or its lease ends: nobody may run this meanwhile. */
  async #findOut(call: Call<TTransaction>, error: unknown, lease: Lease): Promise<Answer> {
    const { records, findOutMs } = this.#options;
    const truth = await findOut(records, call.id, { withinMs: findOutMs });
    if (!truth) return unknown(error);
    if (truth.kind === 'found') return this.#answerFrom(call, truth.record, lease);
    await lease.release();
    return released(error);
  }

  async #fromRecord(
    call: Call<TTransaction>,
    { otherwise }: { otherwise: () => Promise<Answer> },
  ): Promise<Answer> {
    let record: StoredRecord | undefined;
    try {
      record = await this.#options.records.read(call.id);
    } catch (error) {
      this.#reportRecords(error);
      return storeUnavailable(error);
    }
    return record ? this.#answerFrom(call, record, noLease) : otherwise();
  }

  async #answerFrom(call: Call<TTransaction>, record: StoredRecord, lease: Lease): Promise<Answer> {
    const match = call.fingerprint.compare(record.fingerprint);
    if (match === 'same' && record.outcome) {
      this.#tell(call, record.fingerprint, record.outcome, record.leftMs);
      return { kind: 'replayed', outcome: record.outcome };
    }
    await lease.release();
    if (match !== 'same') return mismatch(call, record.fingerprint);
    return record.status === 'INDETERMINATE'
      ? { kind: 'refused', refusal: 'INDETERMINATE' }
      : inProgress(UNKNOWN_AGE_MS);
  }

  /** After the answer is on its way; if it fails, the next attempt finds the record and tells again. */
  #tell(call: Call<TTransaction>, fingerprint: string, outcome: Outcome, retainMs: number): void {
    const told = this.#options.claims
      .settle({ id: call.id, fingerprint, outcome, retainMs })
      .catch(() => {})
      .finally(() => this.#background.delete(told));
    this.#background.add(told);
  }

  #reportRecords(error: unknown): void {
    this.#options.emit({ type: 'records-failed', error: explained(error) });
  }
}

function claimFor(call: Call<unknown>): Claim {
  return {
    id: call.id,
    fingerprint: call.fingerprint.text,
    ownerToken: randomUUID(),
    leaseMs: call.leaseMs,
  };
}
