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
          : T extends object
            ? true extends { [K in keyof T]-?: HoldsReadOnce<T[K], [...TDepth, 0]> }[keyof T]
              ? true
              : false
            : false;

const readOnceKinds = new Set(['file', 'blob', 'promise']);

/**
 * Looks into a schema as far as its library lets one look (zod and valibot name their kinds) and names the first part
 * that is read once, for those who came here around the types. `undefined` means none was seen, not that there is none:
 * the server looks at the values again.
 */
export function readOncePart(schema: Schema | undefined, path = '', depth = 0): string | undefined {
  if (schema === undefined || depth > 5) return undefined;
  const loose = schema as {
    _zod?: { def?: { type?: string; shape?: Record<string, Schema>; element?: Schema; innerType?: Schema } };
    type?: unknown;
    entries?: Record<string, Schema>;
    item?: Schema;
    wrapped?: Schema;
  };
  const zod = loose._zod?.def;
  const kind = zod?.type ?? (typeof loose.type === 'string' ? loose.type : undefined);
  if (kind !== undefined && readOnceKinds.has(kind)) return `${path || 'itself'} (${kind})`;
  const inner = zod?.element ?? zod?.innerType ?? loose.item ?? loose.wrapped;
  if (inner !== undefined) {
    const found = readOncePart(inner, path, depth + 1);
    if (found) return found;
  }
  for (const [name, child] of Object.entries(zod?.shape ?? loose.entries ?? {})) {
    const found = readOncePart(child, path ? `${path}.${name}` : name, depth + 1);
    if (found) return found;
  }
  return undefined;
}
