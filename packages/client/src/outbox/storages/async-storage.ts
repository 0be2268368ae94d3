import type { OutboxStorage } from '../store/storage.js';
import { type KeyValueOptions, keyValueStorage } from './key-value.js';

/** What is used of `@react-native-async-storage/async-storage`: the same in its versions 1, 2 and 3. */
export interface AsyncStorageLike {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getAllKeys(): Promise<readonly string[]>;
}

export interface AsyncStorageOptions extends KeyValueOptions {
  /**
   * How many bytes a record may have in UTF-8. Android writes a row above 2 MB and cannot read it again, so a larger
   * operation is refused before it is sent, everywhere alike. @default 1_900_000, which leaves room for the row's key
   */
  readonly maxRecordBytes?: number;
}

/**
 * Keeps operations in React Native's AsyncStorage, the app's own instance. What was set survives the app, however it
 * ends; nothing is flushed for a device that loses its power. On Android all of AsyncStorage has 6 MB unless the app says
 * otherwise. `swap` is one step in this app's process, the only one that has the store.
 *
 * @example
 * ```ts
 * import AsyncStorage from '@react-native-async-storage/async-storage';
 * import { asyncStorageStorage } from '@trpc-once/client/async-storage';
 *
 * const storage = asyncStorageStorage(AsyncStorage); // or createAsyncStorage('outbox') of version 3
 * ```
 */
export function asyncStorageStorage(
  asyncStorage: AsyncStorageLike,
  { maxRecordBytes = 1_900_000, ...options }: AsyncStorageOptions = {},
): OutboxStorage {
  return keyValueStorage(
    'AsyncStorage',
    asyncStorage,
    {
      keys: () => asyncStorage.getAllKeys(),
      get: (key) => asyncStorage.getItem(key),
      set: (key, text) => asyncStorage.setItem(key, text),
      remove: (key) => asyncStorage.removeItem(key),
    },
    { ...options, maxRecordBytes },
  );
}
