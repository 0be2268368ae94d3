/** Longer than outcomes are kept, a wait would be a way to say "never". */
const LONGEST_MS = 24 * 86_400_000;

/** As HTTP dates begin, in all three of their forms. Date.parse would take "-5", "1.5" and "in 3000" for dates. */
const DAY = /^(mon|tue|wed|thu|fri|sat|sun)/i;

/**
 * Reads a Retry-After header, whole seconds or an HTTP date, as milliseconds from `now`. RFC 9110, section 10.2.3.
 * `undefined` for none, for what is neither, and for more than 24 days.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  const isDate = DAY.test(value);
  const ms = isDate ? Date.parse(value) - now : /^\d+$/.test(value) ? Number(value) * 1000 : Number.NaN;
  return bearable(Math.max(0, ms));
}

/** A wait, if it is one that ends. */
export function bearable(ms = Number.NaN): number | undefined {
  return ms <= LONGEST_MS ? ms : undefined;
}
