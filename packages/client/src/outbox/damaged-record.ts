import type { StoredEntry } from './storage.js';

/** A record that cannot be used. It stays in storage as it is, and hides no other. */
export interface DamagedRecord extends StoredEntry {
  readonly reason: string;
}
