import { isPlain, type WireTransformer } from '../../attempts/transformer.js';

/**
 * Whether two wire bodies mean the same input. Neither the order of keys matters, nor whether one object or Date is used
 * twice where the other has two equal ones: superjson writes that down, and no server tells such inputs apart. In doubt
 * they differ: what is joined is sent as it was first.
 */
export function sameBody(one: string | null, other: string | null, transformer: WireTransformer): boolean {
  if (one === null || other === null || one === other) return one === other;
  const write = (value: unknown) => JSON.stringify(transformer.serialize(value));
  // What is of a class means what it is written as.
  const meaning = (value: unknown): unknown =>
    isPlain(value)
      ? [
          Array.isArray(value),
          ...Object.keys(value)
            .sort()
            .map((key) => [key, meaning(value[key])]),
        ]
      : write(value);
  const alike = ([one, other]: unknown[]) => JSON.stringify(meaning(one)) === JSON.stringify(meaning(other));
  const bodies = [one, other];
  try {
    const said = bodies.map((body) => JSON.parse(body));
    if (alike(said)) return true;
    const meant = said.map((body) => transformer.deserialize(body));
    // A body from before the app had this transformer is read as something else, or as nothing.
    return alike(meant) && meant.every((value, n) => write(value) === bodies[n]);
  } catch {
    // No JSON, or it refers to itself.
    return false;
  }
}
