/** Whether two wire bodies say the same; the order of keys does not matter, everything else does. */
export function sameBody(one: string | null, other: string | null): boolean {
  if (one === null || other === null || one === other) return one === other;
  return sameJson(JSON.parse(one), JSON.parse(other));
}

function sameJson(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
