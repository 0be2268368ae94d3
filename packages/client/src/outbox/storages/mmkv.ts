import type { OutboxStorage } from '../store/storage.js';
import { type KeyValueOptions, keyValueStorage } from './key-value.js';

/** What is used of an instance of `react-native-mmkv`, which removes by `remove` since version 4 and by `delete` before. */
export type MmkvLike = {
  getString(key: string): string | undefined;
  set(key: string, value: string): void;
  getAllKeys(): string[];
} & ({ remove(key: string): unknown } | { delete(key: string): unknown });

/**
 * Keeps operations in MMKV, the app's own instance. What was set is in memory that the system shares with the file: it
 * survives the app, however it ends, but the last changes can be lost with the power. `swap` is one step in this app's
 * process; do not share the instance with app extensions (`mode: MULTI_PROCESS`).
 *
 * @example
 * ```ts
 * import { createMMKV } from 'react-native-mmkv'; // version 3: new MMKV({ id: 'outbox' })
 * import { mmkvStorage } from '@trpc-once/client/mmkv';
 *
 * const storage = mmkvStorage(createMMKV({ id: 'outbox', encryptionKey }));
 * ```
 */
export function mmkvStorage(mmkv: MmkvLike, options: KeyValueOptions = {}): OutboxStorage {
  return keyValueStorage(
    'MMKV',
    mmkv,
    {
      keys: () => mmkv.getAllKeys(),
      get: (key) => mmkv.getString(key),
      set: (key, text) => mmkv.set(key, text),
      remove: (key) => ('remove' in mmkv ? mmkv.remove(key) : mmkv.delete(key)),
    },
    options,
  );
}
