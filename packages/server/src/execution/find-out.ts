import type { OperationId } from '../outcome/operation-id.js';
import type { Probe, RecordStore } from '../records/record-store.js';
import { delay } from '../timing/delay.js';
import { within } from '../timing/within.js';

export interface FindOutOptions {
  /** How long to go on asking, in milliseconds. A probe under way by then is not waited for. */
  readonly withinMs: number;
}

/**
 * Finds out whether a transaction whose COMMIT went unanswered has committed.
 *
 * A missing record proves nothing while that transaction may still be ending on the server. So it is asked for under the
 * operation's own hold: once a fresh transaction is granted it, the old one has ended, and what it committed is visible.
 *
 * @returns undefined when time ran out; then nobody knows yet, and nobody may guess.
 */
export async function findOut(
  records: RecordStore<unknown>,
  id: OperationId,
  { withinMs }: FindOutOptions,
): Promise<Exclude<Probe, { kind: 'busy' }> | undefined> {
  const until = performance.now() + withinMs;
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 500)) {
    const probe = await within(records.probe(id), until - performance.now(), 'the record').catch(
      () => undefined,
    );
    if (probe && probe.kind !== 'busy') return probe;
    if (performance.now() + waitMs >= until) return undefined;
    await delay(waitMs);
  }
}
