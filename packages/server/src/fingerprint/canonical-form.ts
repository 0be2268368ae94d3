import canonicalize from 'canonicalize';

/** The input holds something that has no canonical form; its message says what and where. */
export class NoCanonicalFormError extends TypeError {
  override readonly name = 'NoCanonicalFormError';
}

/**
 * Marks, as the first character of a property name, what JSON has no word for. Real names that begin with it are
 * doubled, so that no input can pass for another.
 */
const MARK = '\u0000';

/**
 * One text for all inputs that mean the same: RFC 8785, extended to what transformers carry.
 * Order of properties, and of entries in a Map or Set, does not count; `undefined` properties count as absent;
 * `null` and absent differ; Date, BigInt, Map, Set, RegExp, URL, bytes, NaN and the infinities have forms of their own.
 *
 * @throws NoCanonicalFormError for functions, symbols, cycles, and nesting too deep to walk.
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalForm(input: unknown): string {
  try {
    return canonicalize(toJson(input, [])) as string;
  } catch (error) {
    if (error instanceof RangeError) throw new NoCanonicalFormError('the input is nested too deeply');
    throw error;
  }
}

function toJson(value: unknown, parents: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : marked('number', String(value));
    case 'undefined':
      return marked('undefined', true);
    case 'bigint':
      return marked('bigint', value.toString());
    case 'object':
      if (value === null) return null;
      if (parents.includes(value)) throw new NoCanonicalFormError('the input refers to itself');
      return objectToJson(value, [...parents, value]);
    default:
      throw new NoCanonicalFormError(`the input holds a ${typeof value}`);
  }
}

function objectToJson(value: object, parents: readonly object[]): unknown {
  if (Array.isArray(value)) return value.map((item) => toJson(item, parents));
  if (value instanceof Date) return marked('date', value.getTime() || String(value.getTime()));
  if (value instanceof Map)
    return marked('map', sorted([...value].map((entry) => entry.map((side) => toJson(side, parents)))));
  if (value instanceof Set) return marked('set', sorted([...value].map((item) => toJson(item, parents))));
  if (value instanceof RegExp || value instanceof URL) return marked(value.constructor.name, String(value));
  if (value instanceof Error) return marked('error', [value.name, value.message]);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return marked(...bytes(value));
  const json: Record<string, unknown> = Object.create(null);
  for (const [name, child] of Object.entries(value)) {
    if (child === undefined) continue;
    json[name.startsWith(MARK) ? MARK + name : name] = toJson(child, parents);
  }
  return json;
}

function marked(kind: string, form: unknown): unknown {
  return { [MARK + kind]: form };
}

function sorted(items: unknown[]): unknown[] {
  return items
    .map((item) => [canonicalize(item) as string, item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}

function bytes(value: ArrayBufferView | ArrayBuffer): [kind: string, form: string] {
  const buffer = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
  return [value.constructor.name, buffer.toString('base64')];
}
