import type { StoredEntry } from './storage.js';

/** A record that cannot be used. It stays in storage as it is, and hides no other. */
export interface DamagedRecord extends StoredEntry {
  readonly reason: string;
}

/** Whether a stored id names another owner than this; of one that names nobody, nobody can tell. */
export function isAnothers(id: string, owner: string | null): boolean {
  try {
    const [whose] = JSON.parse(id) as readonly unknown[];
    return whose !== owner;
  } catch {
    return false;
  }
}
