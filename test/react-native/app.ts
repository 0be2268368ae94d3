// What React Native puts in place before an app's own code, the same packages.
import 'abort-controller/polyfill.js';
import 'whatwg-fetch';
import {
  createIdempotentClient,
  indexedDbStorage,
  isNotSent,
  isOutcomeUnknown,
  keyOf,
  localStorageStorage,
  memoryStorage,
  type OnSettled,
  type OnWake,
  withCodec,
} from '@trpc-once/client';
import { type AsyncStorageLike, asyncStorageStorage } from '@trpc-once/client/async-storage';
import { mmkvStorage } from '@trpc-once/client/mmkv';
import { sqliteStorage } from '@trpc-once/client/sqlite';
import type { Manifest } from '@trpc-once/contract';
import type { shop } from '../client/shop-contract.js';
import type { SystemEvents } from './system-events.js';

/** The example of docs/storages.md. */
const wokenBy =
  ({ AppState, NetInfo }: SystemEvents): OnWake =>
  (wake) => {
    const app = AppState.addEventListener('change', (now) => now === 'active' && wake('shown'));
    const offNet = NetInfo.addEventListener(({ isConnected }) => isConnected && wake('online'));
    return () => {
      app.remove();
      offNet();
    };
  };

/** The app's code as a phone runs it; the test calls it from outside. */
const app = {
  open: (
    contract: Manifest<typeof shop>,
    url: string,
    disk?: AsyncStorageLike,
    onSettled?: OnSettled,
    system?: SystemEvents,
  ) =>
    createIdempotentClient({
      contract,
      url,
      owner: () => 'ann',
      storage: disk ? asyncStorageStorage(disk) : memoryStorage(),
      ...(onSettled && { onSettled }),
      ...(system && { onWake: wokenBy(system) }),
    }),
  encrypted: (disk: AsyncStorageLike) =>
    withCodec(asyncStorageStorage(disk), {
      encode: (text) => [...text].reverse().join(''),
      decode: (text) => [...text].reverse().join(''),
    }),
  storages: { indexedDbStorage, localStorageStorage, mmkvStorage, sqliteStorage },
  errors: { isNotSent, isOutcomeUnknown, keyOf },
  abortable: () => new AbortController(),
};

export type App = typeof app;

Object.assign(globalThis, { app });
