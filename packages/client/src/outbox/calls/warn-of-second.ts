import type { Operation } from '../operation/operation.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Call } from './call.js';

const told = new Set<string>();

/**
 * Says once of an operation that a call without a name, a key or a lane repeats it: one layer up retries (TanStack Query's
 * `retry: 3` over plain calls: four operations of eight attempts each, for one tap), or somebody tapped again. Not of one
 * that was not tried in vain yet: "+1" twice is legitimate. Whoever means another operation says so with a lane or a key.
 */
export function warnOfSecond(
  { path, body }: Call,
  owner: string | null,
  { store }: { readonly store: Pick<StoredOperations, 'find'> },
): void {
  const open = (one: Operation) => one.notes.length > 0 && one.state !== 'settled';
  const first = store.find(owner, (one) => one.path === path && one.body === body && open(one));
  if (!first || told.has(first.key)) return;
  told.add(first.key);
  console.warn(
    `${path} has no outcome yet (key ${first.key}), and this call with the very same input is a second operation. If it repeats the first, give both an intent; if not, a key or a lane of its own`,
  );
}
