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
 *
 * @param status what the header `Idempotency-Status` says, for an error whose `data` somebody has made anew on its way
 */
export function readAnswer(
  text: string,
  transformer: WireTransformer,
  status?: string | null,
): Answer | undefined {
  try {
    const body = JSON.parse(text);
    const { result, error } = body;
    if (isObject(error)) {
      const shape = transformer.deserialize(error) as ErrorShape;
      return isTrpcs(shape) && only('error', body)
        ? { ok: false, shape, facts: readIdempotency(shape) ?? factsIn(status) }
        : undefined;
    }
    // An output of `undefined` travels as {}. Other fields are another protocol's: {"jsonrpc":"2.0","result":{}}.
    if (!isObject(result) || !only('result', body) || !only('data', result)) return undefined;
    return { ok: true, data: 'data' in result ? decode(result['data'], transformer) : undefined };
  } catch {
    return undefined;
  }
}

function factsIn(status: string | null | undefined): IdempotencyFacts | undefined {
  return status === 'settled' || status === 'replayed' ? { settlement: status } : undefined;
}

/**
 * Whether an error is in the form that tRPC gives all of its own: JSON-RPC's codes, which are below zero, and `data`. Other
 * APIs say {"error":{"code":403,"message":"..."}}, and a gateway that says so knows nothing of the operation.
 */
function isTrpcs({ code, message, data }: ErrorShape): boolean {
  return typeof code === 'number' && code < 0 && typeof message === 'string' && isObject(data);
}

function only(name: string, of: object): boolean {
  return Object.keys(of).every((field) => field === name);
}

/**
 * superjson reads data that it did not write as `undefined`, which would pass for an output.
 * @throws Error when what it says is not what was written
 */
function decode(data: unknown, transformer: WireTransformer): unknown {
  const decoded = transformer.deserialize(data);
  if (decoded !== undefined) return decoded;
  // By its form only: another version of the same transformer may say a little more.
  const written = transformer.serialize(undefined);
  const fields = isObject(written) ? Object.keys(written) : [];
  if (typeof data !== typeof written || !fields.every((field) => Object.hasOwn(data as object, field)))
    throw new Error('another transformer wrote it');
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
