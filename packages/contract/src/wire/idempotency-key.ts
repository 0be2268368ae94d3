/** The longest key, in characters. 255 is what the field's APIs take, and what an index row holds with ease. */
export const MAX_KEY_LENGTH = 255;

export type ParsedKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly refusal: 'KEY_MISSING' | 'KEY_MALFORMED' };

const MALFORMED = { ok: false, refusal: 'KEY_MALFORMED' } as const;

/** Whether a string can be a key: 1–255 printable ASCII characters, no comma, no blank at either end. */
export function isIdempotencyKey(key: string): boolean {
  return (
    // Plain JavaScript may give anything, and a list of one key would pass for it.
    typeof key === 'string' &&
    key.length <= MAX_KEY_LENGTH &&
    /^[\x21-\x2b\x2d-\x7e](?:[\x20-\x2b\x2d-\x7e]*[\x21-\x2b\x2d-\x7e])?$/.test(key)
  );
}

/**
 * Reads the header's value. Quoted (a structured-field string, as the IETF draft has it) and bare are the same key:
 * `"abc"` and `abc`. A comma is refused in both forms, because HTTP joins repeated headers with one.
 */
export function parseIdempotencyKey(header: string | null | undefined): ParsedKey {
  if (header === null || header === undefined) return { ok: false, refusal: 'KEY_MISSING' };
  // Before trim(), which takes off more than the blanks that HTTP allows there: a no-break space, say.
  if (/[^\t\x20-\x7e]/.test(header)) return MALFORMED;
  const value = header.trim();
  const key = value.startsWith('"') ? unquote(value) : value;
  return key !== undefined && isIdempotencyKey(key) ? { ok: true, key } : MALFORMED;
}

/**
 * Writes a key as a structured-field string. RFC 9651, section 4.1.6.
 * @throws TypeError when it is not a key.
 */
export function formatIdempotencyKey(key: string): string {
  if (!isIdempotencyKey(key))
    throw new TypeError(
      `not an idempotency key: it must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters without a comma`,
    );
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

function unquote(value: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value);
  return quoted?.[1]?.replace(/\\(["\\])/g, '$1');
}
