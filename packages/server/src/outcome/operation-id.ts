/**
 * Which operation this is: a key means something only within the scope of the principal who sent it.
 * `scope` is already encoded (see {@link encodeScope}).
 */
export interface OperationId {
  readonly scope: string;
  readonly key: string;
}

/**
 * The longest encoded scope, in bytes of UTF-8: scope and key must fit one index row together, and Postgres refuses one
 * of more than 2,704 bytes, after the handler has run.
 */
export const MAX_SCOPE_BYTES = 1_000;

/**
 * Encodes a principal so that no two of them meet: `'a'`, `['a']` and `['a', 'b']` differ from `['a,b']`, and every
 * string fits a text column, NUL included (JSON escapes it; Postgres text cannot hold it).
 *
 * @throws TypeError when it is not a string or a list of strings, or too long.
 */
export function encodeScope(principal: string | readonly string[]): string {
  const parts = typeof principal === 'string' ? [principal] : principal;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
    throw new TypeError('scope() must return a string, a list of strings, or null when nobody is signed in');
  const encoded = JSON.stringify(parts);
  const bytes = Buffer.byteLength(encoded);
  if (bytes > MAX_SCOPE_BYTES)
    throw new TypeError(
      `scope() gave ${bytes} bytes (as JSON, in UTF-8), and at most ${MAX_SCOPE_BYTES} are kept: give the principal's id`,
    );
  return encoded;
}
