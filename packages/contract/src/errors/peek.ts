/**
 * A property of something nobody knows the shape of; `undefined` where there is none. Never throws: what arrives as an
 * error may be anything, and a getter that fails must not hide the failure that is being looked at.
 */
export function peek(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
