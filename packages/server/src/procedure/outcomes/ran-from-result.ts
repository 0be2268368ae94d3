import type { TRPCError } from '@trpc/server';
import { readIdempotency } from '@trpc-once/contract';
import type { Ran } from '../../execution/call.js';
import type { Outcome } from '../../outcome/outcome.js';
import { DeclaredError, validated } from '../errors/declared-error.js';
import type { OutcomeCodec } from './outcome-codec.js';
import { withContent } from './outcome-seal.js';
import type { HeaderCollector } from './replayed-headers.js';

/** What tRPC's `next()` resolves to. It never throws: a handler's error is in the result, and must be looked for. */
export type MiddlewareResult =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: TRPCError };

export interface RanOptions {
  readonly codec: OutcomeCodec;
  readonly errors: DeclaredError['declaredBy'];
  /** Errors that the app calls final although no contract declares them. */
  readonly isFinal: (error: TRPCError) => boolean;
  /** What the handler set in this run. */
  readonly headers: HeaderCollector;
  readonly seal: ((body: string) => string | Promise<string>) | undefined;
}

/** Decides what a run of the handler amounts to: an outcome to settle, or an error that settles nothing. */
export async function ranFromResult(result: MiddlewareResult, options: RanOptions): Promise<Ran> {
  try {
    const headers = options.headers.encoded();
    const settled = await outcomeOf(result, options);
    const outcome = settled && { ...settled, ...(headers !== undefined && { headers }) };
    if (outcome) return { kind: 'outcome', outcome: await withContent(outcome, options.seal) };
    return { kind: 'error', error: (result as { error: TRPCError }).error };
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** Undefined for an error that settles nothing. */
async function outcomeOf(
  result: MiddlewareResult,
  { codec, errors, isFinal }: RanOptions,
): Promise<Outcome | undefined> {
  if (result.ok) return codec.completed(result.data);
  const { error } = result;
  if (error instanceof DeclaredError && error.declaredBy === errors)
    return codec.failed(await validated(error));
  // A judge that was made async by mistake would call everything final.
  return !isPassedOn(error) && isFinal(error) === true ? codec.failed(error) : undefined;
}

/**
 * A handler may call another idempotent procedure, here or at another server, and let its answer through or wrap it. Where
 * that one was told no outcome (still running, say), a CONFLICT made of it says nothing final of this operation either.
 */
function isPassedOn(error: unknown): boolean {
  for (let depth = 0, at = error; depth < 5 && at instanceof Error; depth++, at = at.cause) {
    const facts = readIdempotency(at);
    if (facts) return facts.settlement !== 'settled' && facts.settlement !== 'replayed';
  }
  return false;
}
