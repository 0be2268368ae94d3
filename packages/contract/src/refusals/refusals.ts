import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { type Refusal, sameKeyAgain } from './same-key-again.js';

interface RefusalRow {
  readonly code: TRPC_ERROR_CODE_KEY;
  readonly httpStatus: number;
  /** When the same key may be sent again. */
  readonly again: (typeof sameKeyAgain)[Refusal];
  /** What it means and what to do, for whoever reads the answer in a log. */
  readonly message: string;
}

/** How each refusal travels, and what it says. With {@link sameKeyAgain} the only table of them; all else derives from these. */
export const refusals = {
  KEY_MISSING: {
    code: 'BAD_REQUEST',
    httpStatus: 400,
    again: sameKeyAgain.KEY_MISSING,
    message:
      'This mutation needs an Idempotency-Key header: make one key per operation (a UUID), and send the same key with every retry of it.',
  },
  KEY_MALFORMED: {
    code: 'BAD_REQUEST',
    httpStatus: 400,
    again: sameKeyAgain.KEY_MALFORMED,
    message:
      'The Idempotency-Key header must hold one key of 1 to 255 printable ASCII characters without a comma, bare or as a quoted string; Idempotency-Key-Age, where it is sent, whole seconds.',
  },
  KEY_SHARED: {
    code: 'BAD_REQUEST',
    httpStatus: 400,
    again: sameKeyAgain.KEY_SHARED,
    message:
      'One key cannot serve several calls: send an idempotent call as a request of its own, outside any batch.',
  },
  SCOPE_MISSING: {
    code: 'UNAUTHORIZED',
    httpStatus: 401,
    again: sameKeyAgain.SCOPE_MISSING,
    message: 'Nobody is signed in, so this key belongs to nobody: sign in, then send the same key again.',
  },
  IN_PROGRESS: {
    code: 'CONFLICT',
    httpStatus: 409,
    again: sameKeyAgain.IN_PROGRESS,
    message: 'This operation is still running: wait for Retry-After, then send the same key again.',
  },
  FINGERPRINT_MISMATCH: {
    code: 'UNPROCESSABLE_CONTENT',
    httpStatus: 422,
    again: sameKeyAgain.FINGERPRINT_MISMATCH,
    message:
      'This key was already used with another procedure or another input: a new operation needs a new key.',
  },
  KEY_EXPIRED: {
    code: 'PRECONDITION_FAILED',
    httpStatus: 412,
    again: sameKeyAgain.KEY_EXPIRED,
    message:
      'This key was first sent longer ago than outcomes are kept, so what became of it cannot be told: look the operation up before you start a new one.',
  },
  INDETERMINATE: {
    code: 'CONFLICT',
    httpStatus: 409,
    again: sameKeyAgain.INDETERMINATE,
    message:
      'What became of this operation outside the database is not known: it will not run again until someone has reconciled it.',
  },
  STORE_UNAVAILABLE: {
    code: 'SERVICE_UNAVAILABLE',
    httpStatus: 503,
    again: sameKeyAgain.STORE_UNAVAILABLE,
    message:
      'This operation cannot be looked up right now (the database is out of reach or busy, or this server is stopping), so nothing was run: send the same key again after Retry-After.',
  },
} as const satisfies Record<Refusal, RefusalRow>;
