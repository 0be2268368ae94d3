import {
  alone,
  betweenProcesses,
  betweenTabs,
  indexedDbStorage,
  localStorageStorage,
  memoryStorage,
  withCodec,
} from '@trpc-once/client';
import { asyncStorageStorage } from '@trpc-once/client/async-storage';
import { fileStorage } from '@trpc-once/client/file';
import { mmkvStorage } from '@trpc-once/client/mmkv';
import { sqliteStorage } from '@trpc-once/client/sqlite';
import { afterEach, expect, test, vi } from 'vitest';

const asyncStorage = {
  getItem: async () => null,
  setItem: async () => {},
  removeItem: async () => {},
  getAllKeys: async () => [],
};
const mmkv = { getString: () => undefined, set() {}, getAllKeys: () => [], remove() {} };
const sqlite = { runAsync: async () => ({ changes: 0 }), getAllAsync: async () => [] };

const onPhones = {
  AsyncStorage: (options?: object) => asyncStorageStorage(asyncStorage, options),
  MMKV: (options?: object) => mmkvStorage(mmkv, options),
  SQLite: (options?: object) => sqliteStorage(sqlite, options),
};

afterEach(() => void vi.unstubAllGlobals());

test('what tabs or processes share is coordinated between them, and only that', () => {
  expect(indexedDbStorage().coordination).toBe(betweenTabs);
  // Tabs too, with leases beside it.
  expect(localStorageStorage().coordination).not.toBe(alone);
  expect(fileStorage('outbox', { shared: true }).coordination).toBe(betweenProcesses);
  // One process has it, and looks before each attempt whether it still does.
  for (const other of [alone, betweenProcesses]) expect(fileStorage('outbox').coordination).not.toBe(other);
  expect(memoryStorage().coordination).toBe(alone);
});

test('a codec leaves the coordination of its storage as it is', () => {
  const codec = { encode: (text: string) => text, decode: (text: string) => text };
  expect(withCodec(indexedDbStorage(), codec).coordination).toBe(betweenTabs);
  expect(withCodec(fileStorage('outbox', { shared: true }), codec).coordination).toBe(betweenProcesses);
  expect(withCodec(memoryStorage(), codec).coordination).toBe(alone);
});

test.each(Object.entries(onPhones))("%s on a phone is one app's alone", (_, storage) => {
  expect(storage().coordination).toBe(alone);
  expect(storage({ coordination: betweenProcesses }).coordination).toBe(betweenProcesses);
});

test.each(Object.entries(onPhones))('%s in a browser has to be told that tabs share it', (_, storage) => {
  vi.stubGlobal('document', {});
  expect(() => storage()).toThrow(/betweenTabs/);
  expect(storage({ coordination: betweenTabs }).coordination).toBe(betweenTabs);
});
