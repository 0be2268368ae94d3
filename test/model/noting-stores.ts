import { type ClaimStore, CommitUnknownError, type RecordStore } from '@trpc-once/server';
import type { Recorder } from './recorder.js';

/** Notes what the claim store granted; what it said too late, or never, the attempt goes on without. */
export function notingClaims(claims: ClaimStore, attempt: number, recorder: Recorder): ClaimStore {
  return {
    ...claims,
    async claim(claim) {
      const reply = await claims.claim(claim);
      if (reply.kind !== 'MISMATCH') recorder.hears(attempt, reply.kind);
      return reply;
    },
  };
}

/** Notes what the records answered, where they answer, behind every fault point. */
export function notingRecords<TTransaction>(
  records: RecordStore<TTransaction>,
  attempt: number,
  recorder: Recorder,
): RecordStore<TTransaction> {
  return {
    ...records,
    async transact(draft, work) {
      try {
        const transacted = await records.transact(draft, work);
        recorder.sees(attempt, `transact ${transacted.kind}`);
        return transacted;
      } catch (error) {
        recorder.sees(attempt, error instanceof CommitUnknownError ? 'transact unknown' : 'transact threw');
        throw error;
      }
    },
    async read(id) {
      const record = await records.read(id).catch((error) => {
        recorder.sees(attempt, 'read threw');
        throw error;
      });
      recorder.sees(attempt, record ? 'read found' : 'read nothing');
      return record;
    },
    async probe(id) {
      const probe = await records.probe(id).catch((error) => {
        recorder.sees(attempt, 'probe threw');
        throw error;
      });
      recorder.sees(attempt, `probe ${probe.kind}`);
      return probe;
    },
  };
}
