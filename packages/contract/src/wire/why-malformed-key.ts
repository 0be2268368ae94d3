import { MAX_KEY_LENGTH } from './idempotency-key.js';

const ESCAPES = 'in a quoted string a backslash stands before a quote or another backslash only';

/**
 * What is wrong with a header that {@link parseIdempotencyKey} called malformed, for whoever has to mend its sender. It
 * holds nothing of the key but one character's number. The draft has a key as a structured-field string (RFC 9651, section
 * 3.3.3); a bare one is read too.
 */
export function whyMalformedKey(header: string): string {
  const outside = /[^\t\x20-\x7e]/u.exec(header);
  if (outside)
    return `character ${outside.index + 1} is ${codePoint(outside[0])}, and keys are printable ASCII`;
  const value = header.trim();
  if (value === '') return 'it is empty';
  // First of all others: each of two keys may well be right.
  if (value.includes(','))
    return 'it holds a comma, as HTTP joins a header that was sent twice: send one key, once, without a comma in it';
  if (value.includes('\t')) return 'it holds a tab';
  return value.startsWith('"') ? whyNotQuoted(value) : whyNoKey(value);
}

function whyNotQuoted(value: string): string {
  const string = /^"(?:[^"\\]|\\.)*"/.exec(value)?.[0];
  if (string === undefined) return 'it begins with a quote, and no quote ends it';
  const rest = value.slice(string.length).trimStart();
  if (rest.startsWith(';')) return 'parameters follow the quoted string: send the string alone';
  if (rest !== '') return `something follows the quote that ends it; ${ESCAPES}`;
  if (/^"(?:[^"\\]|\\["\\])*"$/.test(string))
    return whyNoKey(string.slice(1, -1).replace(/\\(["\\])/g, '$1'));
  return `it holds an escape that means nothing: ${ESCAPES}`;
}

function whyNoKey(key: string): string {
  if (key.trim() === '') return 'there is nothing between its quotes';
  if (key.length > MAX_KEY_LENGTH)
    return `it has ${key.length} characters, and ${MAX_KEY_LENGTH} is the most`;
  return 'it begins or ends with a blank inside its quotes';
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
