import { NotSentError } from '../../errors/not-sent-error.js';
import { OperationExpiredError } from '../../errors/operation-expired-error.js';
import { OperationParkedError } from '../../errors/operation-parked-error.js';
import { isOutboxStorageError } from '../../errors/outbox-storage-error.js';
import { OutcomeUnknownError, type OutcomeUnknownHandle } from '../../errors/outcome-unknown-error.js';
import type { RunEnd } from './run-end.js';

/** What callers are told when a run ended without an outcome. */
export function errorOf(end: Exclude<RunEnd, { kind: 'settled' }>, handle: OutcomeUnknownHandle): Error {
  const { operation, cause } = end;
  const facts = { ...operation, cause };
  switch (end.kind) {
    case 'not-stored': {
      const refusal = cause as { reason?: unknown; message?: unknown } | null;
      const reason = refusal?.reason === 'too-large' ? 'too-large' : 'storage';
      // What a storage says, the error says itself.
      const why = isOutboxStorageError(cause) ? '' : `: ${refusal?.message}`;
      const message = `the outbox could not keep it${why}`;
      return new NotSentError({ ...facts, reason, message });
    }
    case 'expired':
      return new OperationExpiredError(facts);
    case 'parked':
      return new OperationParkedError({ ...facts, reason: end.reason });
    case 'gone':
      return new OutcomeUnknownError({ ...facts, reason: 'elsewhere', ...handle });
    case 'unknown':
      return new OutcomeUnknownError({ ...facts, reason: end.reason, ...handle });
  }
}
