/**
 * Whether an output holds something that can be read only once: a stream, a promise, a file. JSON writes `{}` for these
 * without a word. Looked for wherever plain objects, arrays, Maps and Sets lead, and among the properties of an output
 * that is an instance itself; deeper inside an instance only its class knows what matters.
 *
 * Promises that are found count as looked at: one that fails after its output was refused would end the process.
 */
export function holdsReadOnce(output: unknown): boolean {
  const met = new Set<unknown>();
  // Not recursive: an output that is too deep is for JSON to refuse, in its own words.
  const left = [output];
  let found = false;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || met.has(value)) continue;
    met.add(value);
    if (isReadOnce(value)) {
      found = true;
      if (value instanceof Promise) value.catch(() => {});
    } else if (value === output || isTransparent(value)) for (const part of parts(value)) left.push(part);
  }
  return found;
}

function isReadOnce(value: object): boolean {
  return (
    value instanceof Promise ||
    value instanceof ReadableStream ||
    value instanceof Blob ||
    value instanceof FormData ||
    value instanceof Response ||
    Symbol.asyncIterator in value
  );
}

function isTransparent(value: object): boolean {
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function parts(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  if (Array.isArray(value) || value instanceof Set) return value;
  return ArrayBuffer.isView(value) ? [] : Object.values(value);
}
