import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { OutboxStorage, StoredEntry } from './storage.js';

/** A record that cannot be used. It stays in storage as it is, and hides no other. */
export interface DamagedRecord extends StoredEntry {
  readonly reason: string;
}

/** The owner that a stored id names; `undefined` where it names nobody. */
export function ownerIn(id: string): unknown {
  try {
    return JSON.parse(id)[0];
  } catch {
    return undefined;
  }
}

/** Whether a stored id names another owner than this; of one that names nobody, nobody can tell. */
export function isAnothers(id: string, owner: string | null): boolean {
  const whose = ownerIn(id);
  return whose !== undefined && whose !== owner;
}

/**
 * Removes a record if it is still damaged, and as it was when it was looked at last.
 * @param damaged those that may be seen, as they were read last
 * @throws OutboxStorageError `not-damaged`, or what storage says
 */
export async function discard(
  id: string,
  damaged: () => readonly DamagedRecord[],
  { store, storage }: { readonly store: { load(): Promise<void> }; readonly storage: OutboxStorage },
): Promise<void> {
  const find = () => damaged().find((record) => record.id === id);
  const seen = find();
  await store.load();
  const now = find();
  if (!seen || !now || now.text !== seen.text)
    throw new OutboxStorageError(
      storage.name,
      'not-damaged',
      `${id} is not among the damaged records, or not as it was looked at: look at damaged() again`,
    );
  await storage.delete(id);
  await store.load();
}

/** Whether a record that cannot be used says that it is one owner's, and of this intent or lane; or might say so. */
export function mentions(
  { id, text, unread }: DamagedRecord,
  owner: string | null,
  field: 'intent' | 'lane',
  value: string | undefined,
): boolean {
  if (value === undefined || isAnothers(id, owner)) return false;
  return unread === true || text?.includes(`"${field}":${JSON.stringify(value)}`) === true;
}
