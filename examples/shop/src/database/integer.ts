/**
 * Reads a `bigint` column as a number. pg gives such columns as strings and PGlite as numbers, or as BigInt beyond 2^53,
 * because not each of them fits a number; cents of a shop do.
 *
 * @throws RangeError when it does not fit: money is never rounded.
 */
export function integer(value: unknown): number {
  const number = typeof value === 'number' || /^-?\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number))
    throw new RangeError(`${String(value)} is not a whole number within ±2^53`);
  return number;
}
