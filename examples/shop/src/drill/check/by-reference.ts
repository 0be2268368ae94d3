/** Puts together what carries the same reference, in the order in which it comes. */
export function byReference<T extends { readonly reference: string | null }>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const reference = item.reference ?? '';
    groups.set(reference, [...(groups.get(reference) ?? []), item]);
  }
  return groups;
}
