import type { Transformer } from '@trpc-once/contract';

/** Both directions of a transformer, as tRPC's client takes it: one for both, or a pair, or none. */
export interface WireTransformer {
  serialize(input: unknown): unknown;
  deserialize(output: any): unknown;
}

const asItIs: WireTransformer = { serialize: (input) => input, deserialize: (output) => output };

export function wireTransformer(transformer: Transformer | undefined): WireTransformer {
  if (!transformer) return asItIs;
  if (!('input' in transformer)) return transformer;
  return {
    serialize: (input) => transformer.input.serialize(input),
    deserialize: (output) => transformer.output.deserialize(output),
  };
}

/**
 * The bytes of an operation's body, the same as tRPC's `httpLink` sends; `null` when there is none.
 * @throws TypeError when JSON would silently lose what is in it: a Map, a Set, bytes, a form, a file
 */
export function wireBody(input: unknown, transformer: WireTransformer): string | null {
  const written = transformer.serialize(input);
  const text = JSON.stringify(written, (_, value: unknown) => {
    if (isLostInJson(value)) throw new TypeError(`JSON cannot hold a ${value.constructor?.name}`);
    return value;
  });
  if (text === undefined && written !== undefined)
    throw new TypeError(`JSON cannot hold a ${typeof written}`);
  return text ?? null;
}

/** Bytes become an object of numbers, and what keeps its content elsewhere than in fields becomes {}. */
function isLostInJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return ArrayBuffer.isView(value) || (!isPlain(value) && Object.keys(value).length === 0);
}

/** Whether it is a list, or an object of no class, in any realm. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}
