import { getTRPCErrorFromUnknown, TRPCError } from '@trpc/server';
import type { IdempotencyFacts } from '@trpc-once/contract';
import type { Answer } from '../../execution/call.js';
import { abandoned, isAbandoned, type Outcome } from '../../outcome/outcome.js';
import { ownError, withFacts } from '../errors/error-facts.js';
import { toldAs } from '../errors/original-error.js';
import { refusalError } from '../errors/refusal-error.js';
import type { OutcomeCodec } from './outcome-codec.js';
import { withContent } from './outcome-seal.js';

const RELEASED =
  'The database could not take this operation now and nothing of it was kept: send the same key again after Retry-After.';
const UNKNOWN =
  'Whether this operation took effect is not known yet: send the same key again after Retry-After to find out.';

const UNREADABLE =
  'This operation has an outcome, but this server cannot read it: send the same key again after Retry-After.';

const ABANDONED =
  'This operation was abandoned by the server that ran it, before anything of it took effect. Its key is used up: make the operation anew, with a key of its own.';

export interface TellOptions {
  readonly codec: OutcomeCodec;
  readonly key: string;
  readonly open: ((sealed: string) => string | Promise<string>) | undefined;
  readonly onUnreadable: (error: unknown) => void;
  /** What this call's own handler threw, where that is the outcome. */
  readonly original: (outcome: Outcome) => Error | undefined;
  /** Told the headers to replay before anything else happens. */
  readonly onHeaders: (headers: Readonly<Record<string, string>>) => void;
}

/**
 * Says an answer in tRPC's words.
 * @returns the output of a completed outcome.
 * @throws TRPCError for everything else, with the facts attached.
 */
export async function tellAnswer(answer: Answer, options: TellOptions): Promise<unknown> {
  const { key } = options;
  switch (answer.kind) {
    case 'settled':
    case 'replayed': {
      const told = await readOutcome(answer.outcome, options);
      if ('output' in told) return told.output;
      throw withFacts(told.error, { key, settlement: answer.kind });
    }
    case 'refused':
      throw refusalError(answer.refusal, { key, retryAfterMs: answer.retryAfterMs, cause: answer.cause });
    case 'released':
      throw released(answer, key);
    case 'unknown':
      throw storeError(UNKNOWN, answer.cause, {
        key,
        settlement: 'unknown',
        retryAfterMs: answer.retryAfterMs,
      });
  }
}

/** What settled and cannot be read, a missing secret say, is neither released nor failed: another instance may read it. */
async function readOutcome(
  outcome: Outcome,
  { codec, key, open, onUnreadable, onHeaders, original }: TellOptions,
): Promise<ReturnType<OutcomeCodec['read']>> {
  if (isAbandoned(outcome)) return { error: new TRPCError({ code: abandoned.code, message: ABANDONED }) };
  try {
    const opened = await withContent(outcome, open);
    const told = codec.read(opened);
    const cause = original(outcome);
    const thrown = cause && codec.read(opened, cause);
    if (opened.headers !== undefined) onHeaders(JSON.parse(opened.headers));
    return thrown && 'error' in thrown && 'error' in told
      ? { error: toldAs(thrown.error, told.error) }
      : told;
  } catch (error) {
    onUnreadable(error);
    throw storeError(UNREADABLE, error, { key, settlement: 'unknown', retryAfterMs: 1_000 });
  }
}

function released({ error, retryAfterMs }: Extract<Answer, { kind: 'released' }>, key: string): TRPCError {
  return retryAfterMs === undefined
    ? withFacts(ownError(getTRPCErrorFromUnknown(error)), { key, settlement: 'released' })
    : storeError(RELEASED, error, { key, settlement: 'released', retryAfterMs });
}

function storeError(message: string, cause: unknown, facts: IdempotencyFacts): TRPCError {
  return withFacts(new TRPCError({ code: 'SERVICE_UNAVAILABLE', message, cause }), facts);
}
