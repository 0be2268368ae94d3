import { readAnswer } from '../../attempts/answer.js';
import type { Evidence } from '../../attempts/evidence.js';
import { notAnAnswer } from '../../attempts/not-an-answer.js';
import type { WireTransformer } from '../../attempts/transformer.js';
import { AttemptError } from '../../errors/attempt-error.js';
import { type ServerError, serverError } from '../../errors/server-error.js';
import type { Operation } from './operation.js';

/** What an operation came to: its result, or the error that the server settled on, as tRPC's client gives it. */
export type Outcome =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: ServerError };

/** The outcome of a settled operation; `undefined` when its answer cannot be decoded any more. */
export function outcomeOf({ key, answer }: Operation, transformer: WireTransformer): Outcome | undefined {
  const read = readAnswer(answer ?? '', transformer);
  return read && !read.ok ? { ok: false, error: serverError(read.shape, key) } : read;
}

/** What stood in the way of an outcome, as the cause of an error that tells the caller so. */
export function causeOf(evidence: Evidence | undefined, key: string): unknown {
  switch (evidence?.kind) {
    case 'answer':
      return evidence.answer?.ok === false
        ? serverError(evidence.answer.shape, key)
        : new AttemptError(`the answer was ${notAnAnswer(evidence.status, evidence.text)}`);
    case 'silence':
      return evidence.cause;
    default:
      return undefined;
  }
}

/** What the last attempt came to, as the cause for whoever stops waiting between two of them. */
export function lastAttempt({ notes }: Operation): AttemptError | undefined {
  const last = notes.at(-1);
  return (
    last &&
    new AttemptError(
      `the last attempt: ${last.ended}${last.status === undefined ? '' : `, HTTP ${last.status}`}`,
    )
  );
}
