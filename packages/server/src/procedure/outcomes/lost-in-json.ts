/**
 * What JSON writes as `{}` although there is something in it, named by its class: a Map, a Set, a RegExp, a Headers. The
 * outcome would be another than the handler returned, kept as such, and nobody would be told.
 *
 * Not what JSON changes in plain sight and tRPC's types know of: a Date is its text, a function and `undefined` are left
 * out. Nor an instance of an app's own class, of which only the class knows whether it is empty.
 *
 * @param encoded a value as JSON is given it, behind the transformer. @param body what JSON made of it, without which to
 * look at all would cost every output a walk: what is lost is `{}` there.
 */
export function lostInJson(encoded: unknown, body: string): string | undefined {
  if (!body.includes('{}')) return undefined;
  // JSON has been through it: it has no cycles, and is not too deep. But one object may be in it many times.
  const met = new Set<unknown>();
  const left = [encoded];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || met.has(value)) continue;
    met.add(value);
    // What it says of itself is not asked for a second time.
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') continue;
    const parts = Object.values(value);
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (parts.length === 0 && !writtenWhole.has(kind)) return kind;
    for (const part of parts) left.push(part);
  }
  return undefined;
}

/** JSON has words for these, or there is nothing in them. */
const writtenWhole: ReadonlySet<string> = new Set([
  ...['Object', 'Array', 'Arguments'],
  ...['String', 'Number', 'Boolean'],
  ...['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array'],
  ...['Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float32Array', 'Float64Array'],
]);
