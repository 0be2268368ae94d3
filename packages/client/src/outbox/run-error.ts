import { NotSentError } from '../errors/not-sent-error.js';
import { OperationExpiredError } from '../errors/operation-expired-error.js';
import { OperationParkedError } from '../errors/operation-parked-error.js';
import { type OutcomeUnknownDetails, OutcomeUnknownError } from '../errors/outcome-unknown-error.js';
import { causeOf } from './outcome.js';
import type { RunEnd } from './run-end.js';

/** What callers are told when a run ended without an outcome. */
export function errorOf(
  end: Exclude<RunEnd, { kind: 'settled' }>,
  handle: Pick<OutcomeUnknownDetails, 'wait' | 'resume'>,
): Error {
  const { key, path, attempts, firstSentAt } = end.operation;
  const cause = 'cause' in end ? end.cause : causeOf(end.evidence, key);
  switch (end.kind) {
    case 'not-stored': {
      const reason = (cause as { reason?: unknown } | null)?.reason === 'too-large' ? 'too-large' : 'storage';
      const message = `the outbox could not keep it: ${(cause as Error | null)?.message}`;
      return new NotSentError({ key, path, reason, message, cause });
    }
    case 'gone':
      return new OutcomeUnknownError({ key, path, attempts, reason: 'elsewhere', ...handle });
    case 'expired':
      return new OperationExpiredError({ key, path, firstSentAt, cause });
    case 'parked':
      return new OperationParkedError({ key, path, reason: end.reason, cause });
    case 'unknown':
      return new OutcomeUnknownError({ key, path, attempts, reason: end.reason, cause, ...handle });
  }
}
