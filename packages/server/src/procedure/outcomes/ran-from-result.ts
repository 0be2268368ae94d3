import type { TRPCError } from '@trpc/server';
import type { Ran } from '../../execution/call.js';
import { DeclaredError, validated } from '../errors/declared-error.js';
import type { OutcomeCodec } from './outcome-codec.js';

/** What tRPC's `next()` resolves to. It never throws: a handler's error is in the result, and must be looked for. */
export type MiddlewareResult =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: TRPCError };

export interface RanOptions {
  readonly codec: OutcomeCodec;
  readonly errors: DeclaredError['declaredBy'];
  /** Errors that the app calls final although no contract declares them. */
  readonly isFinal: (error: TRPCError) => boolean;
}

/** Decides what a run of the handler amounts to: an outcome to settle, or an error that settles nothing. */
export async function ranFromResult(
  result: MiddlewareResult,
  { codec, errors, isFinal }: RanOptions,
): Promise<Ran> {
  try {
    if (result.ok) return { kind: 'outcome', outcome: codec.completed(result.data) };
    const { error } = result;
    if (error instanceof DeclaredError && error.declaredBy === errors)
      return { kind: 'outcome', outcome: codec.failed(await validated(error)) };
    if (isFinal(error)) return { kind: 'outcome', outcome: codec.failed(error) };
    return { kind: 'error', error };
  } catch (error) {
    return { kind: 'error', error };
  }
}
