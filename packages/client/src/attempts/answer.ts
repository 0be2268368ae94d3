import { type IdempotencyFacts, type OnceErrorData, readIdempotency } from '@trpc-once/contract';
import type { WireTransformer } from './transformer.js';

/** A tRPC error as it travels. */
export interface ErrorShape {
  readonly code: number;
  readonly message: string;
  readonly data?: Partial<OnceErrorData>;
}

/** What a tRPC server said, decoded. */
export type Answer =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly shape: ErrorShape;
      /** What the server says of the operation, if it says anything. */
      readonly facts: IdempotencyFacts | undefined;
    };

/**
 * Reads a body as tRPC's answer to one call. `undefined` for anything else: a gateway's HTML, a captive portal's page,
 * JSON cut short, somebody else's JSON, or what the transformer cannot decode. None of these is evidence of an outcome.
 */
export function readAnswer(text: string, transformer: WireTransformer): Answer | undefined {
  try {
    const { result, error } = JSON.parse(text);
    if (isObject(error)) {
      const shape = transformer.deserialize(error) as ErrorShape;
      return typeof shape.code === 'number' && typeof shape.message === 'string'
        ? { ok: false, shape, facts: readIdempotency(shape) }
        : undefined;
    }
    // An output of `undefined` travels as {}; other fields than `data` are another protocol's.
    if (!isObject(result) || Object.keys(result).some((name) => name !== 'data')) return undefined;
    return { ok: true, data: 'data' in result ? transformer.deserialize(result['data']) : undefined };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
