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

/** The bytes of an operation's body, the same as tRPC's `httpLink` sends; `null` when there is none. */
export function wireBody(input: unknown, transformer: WireTransformer): string | null {
  return JSON.stringify(transformer.serialize(input)) ?? null;
}
