import { peek } from '../errors/peek.js';
import type { Schema } from './definition.js';

/**
 * An outcome can only be replayed if it can be stored, and an input can only be sent again if it can be kept: nothing
 * that is read once may be part of either.
 */
type ReadOnce = Blob | FormData | ReadableStream | AsyncIterable<unknown> | PromiseLike<unknown>;

type Leaf =
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  | Date
  | RegExp
  | ((...args: never[]) => unknown);

/** True where `T` holds something that is read once, looked for five levels deep (deeper is left to run time). */
export type HoldsReadOnce<T, TDepth extends unknown[] = []> = TDepth['length'] extends 5
  ? false
  : 0 extends 1 & T
    ? false
    : T extends Leaf
      ? false
      : T extends ReadOnce
        ? true
        : T extends readonly (infer TItem)[]
          ? HoldsReadOnce<TItem, [...TDepth, 0]>
          : T extends ReadonlySet<infer TItem>
            ? HoldsReadOnce<TItem, [...TDepth, 0]>
            : T extends ReadonlyMap<unknown, infer TValue>
              ? HoldsReadOnce<TValue, [...TDepth, 0]>
              : T extends object
                ? true extends { [K in keyof T]-?: HoldsReadOnce<T[K], [...TDepth, 0]> }[keyof T]
                  ? true
                  : false
                : false;

const readOnceKinds = new Set<unknown>(['file', 'blob', 'promise']);

/**
 * Looks into a schema as far as its library lets one look (zod 4 and valibot name their kinds) and names the first part
 * that is read once, for those who came here around the types. `undefined` means none was seen, not that there is none:
 * the server looks at the values again.
 */
export function readOncePart(schema: Schema | undefined): string | undefined {
  return look(schema, [], new Set());
}

function look(schema: unknown, path: readonly string[], seen: Set<unknown>): string | undefined {
  // Schemas may refer back to themselves.
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  const facts = peek(peek(schema, '_zod'), 'def') ?? schema;
  const kind = peek(facts, 'type');
  if (readOnceKinds.has(kind)) return `${path.join('.') || 'itself'} (${String(kind)})`;
  for (const { field, part } of partsOf(facts)) {
    const found = look(part, field === undefined ? path : [...path, field], seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schemas that one is made of: directly, in a list (union, tuple, pipe) or by name (object). */
function* partsOf(facts: unknown): Generator<{ field?: string; part: unknown }> {
  for (const [name, value] of entriesOf(facts)) {
    if (isSchema(value)) yield { part: value };
    // Only the names of an object's fields mean something to the reader.
    const named = name === 'shape' || name === 'entries';
    for (const [field, part] of isSchema(value) ? [] : entriesOf(value))
      if (isSchema(part)) yield named ? { field, part } : { part };
  }
}

function entriesOf(value: unknown): (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => [name, peek(value, name)] as const);
}

function isSchema(value: unknown): boolean {
  return peek(value, '~standard') !== undefined;
}
