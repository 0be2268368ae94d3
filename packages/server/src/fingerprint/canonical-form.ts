import canonicalize from 'canonicalize';

/** The input holds something that has no canonical form; its message says what. */
export class NoCanonicalFormError extends TypeError {
  override readonly name = 'NoCanonicalFormError';
}

/**
 * Marks, as the first character of a property name, what JSON has no word for. Real names that begin with it are
 * doubled, so that no input can pass for another.
 */
const MARK = '\u0000';

/**
 * How much may be written out again because something refers to it a second time: values and characters, in all. A
 * transformer such as superjson makes shared references of a few bytes, and 30 of them, each twice in the next, unfold
 * to 2^30 objects: a request of 1.2 kB ended the process.
 */
const MOST_REPEATED = 100_000;

/**
 * How deep an input may be nested. Without a number of its own the depth of the stack decides, and that differs between
 * two versions of Node, or with what calls us: one instance would take an operation that another, asked again, refuses.
 * The stack gave out at some 2,000 levels; nobody writes more than a few dozen.
 */
const DEEPEST = 500;

/**
 * One text for all inputs that mean the same: RFC 8785, extended to what transformers carry.
 * Order of properties, and of entries in a Map or Set, does not count; `undefined` properties count as absent;
 * `null` and absent differ; Date, BigInt, Map, Set, RegExp, URL, Error, bytes, NaN and the infinities have forms of their
 * own, and so has what gives itself in `toJSON()`. Other instances count as their properties.
 *
 * @throws NoCanonicalFormError for functions, symbols, cycles, instances that show nothing of themselves, nesting too
 * deep, and shared references that unfold to too much.
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalForm(input: unknown): string {
  return canonicalize(toJson(input, new Walk())) as string;
}

/** Where a walk through an input is, and what it has met. */
class Walk {
  readonly #parents = new Set<object>();
  readonly #met = new Set<object>();
  #repeating = 0;
  #repeated = 0;

  visit<T>(value: object, read: () => T): T {
    if (this.#parents.has(value)) throw new NoCanonicalFormError('the input refers to itself');
    if (this.#parents.size === DEEPEST)
      throw new NoCanonicalFormError(`the input is nested too deeply: at most ${DEEPEST} levels`);
    const again = this.#met.has(value);
    this.#met.add(value);
    this.#parents.add(value);
    if (again) this.#repeating++;
    const json = read();
    if (again) this.#repeating--;
    this.#parents.delete(value);
    return json;
  }

  /** Counts what is written out, where it is written out again. */
  write(length: number): void {
    if (this.#repeating === 0) return;
    this.#repeated += length;
    if (this.#repeated > MOST_REPEATED)
      throw new NoCanonicalFormError('the input refers to the same values too often');
  }
}

function toJson(value: unknown, walk: Walk): unknown {
  walk.write(typeof value === 'string' ? value.length + 1 : 1);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : marked('number', String(value));
    case 'undefined':
      return marked('undefined', true);
    case 'bigint':
      return marked('bigint', text(value, walk));
    case 'object':
      return value === null ? null : walk.visit(value, () => objectToJson(value, walk));
    default:
      throw new NoCanonicalFormError(`the input holds a ${typeof value}`);
  }
}

function objectToJson(value: object, walk: Walk): unknown {
  const each = (item: unknown): unknown => toJson(item, walk);
  // Array.from visits holes too.
  if (Array.isArray(value)) return Array.from(value, each);
  if (value instanceof Date) return marked('date', value.getTime() || String(value.getTime()));
  if (value instanceof Map) return marked('map', sorted([...value].map((entry) => entry.map(each))));
  if (value instanceof Set) return marked('set', sorted([...value].map(each)));
  if (value instanceof RegExp || value instanceof URL)
    return marked(value.constructor.name, text(value, walk));
  if (value instanceof Error) return marked('error', properties(errorParts(value), walk));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return marked(value.constructor.name, bytes(value, walk));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return marked('json', each(toJSON.call(value)));
  if (Object.keys(value).length === 0 && !isPlain(value))
    throw new NoCanonicalFormError(
      `the input holds a ${value.constructor?.name}, which shows nothing of itself`,
    );
  return properties(value, walk);
}

function properties(value: object, walk: Walk): unknown {
  const json: Record<string, unknown> = Object.create(null);
  for (const [name, child] of Object.entries(value)) {
    if (child === undefined) continue;
    walk.write(name.length);
    json[name.startsWith(MARK) ? MARK + name : name] = toJson(child, walk);
  }
  return json;
}

/** In any realm: what inherits from something that inherits from nothing. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function errorParts(error: Error): object {
  const { name, message, cause } = error;
  return { ...error, name, message, cause };
}

function marked(kind: string, form: unknown): unknown {
  return { [MARK + kind]: form };
}

function text(value: unknown, walk: Walk): string {
  const written = String(value);
  walk.write(written.length);
  return written;
}

function bytes(value: ArrayBufferView | ArrayBuffer, walk: Walk): string {
  walk.write(value.byteLength);
  const buffer = ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
  return buffer.toString('base64');
}

function sorted(items: unknown[]): unknown[] {
  return items
    .map((item) => [canonicalize(item) as string, item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}
