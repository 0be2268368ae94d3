/**
 * Reads a Retry-After header, whole seconds or an HTTP date, as milliseconds from `now`. RFC 9110, section 10.2.3.
 * `undefined` for none, or for what is neither.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse takes "-5" and "1.5" for dates; HTTP dates begin with the day's name.
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
