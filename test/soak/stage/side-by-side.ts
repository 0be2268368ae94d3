/**
 * Waits for all of them, also when one fails: what is still starting must be there to be closed with the rest.
 * @throws what the first of them threw
 */
export async function sideBySide<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
