import { afterEach, expect, test, vi } from 'vitest';

/** What pages, workers and phones have or have not, and what a browser may forbid to name. */
const names = [
  'indexedDB',
  'localStorage',
  'sessionStorage',
  'document',
  'window',
  'location',
  'navigator',
  'crypto',
  'fetch',
  'BroadcastChannel',
];

const before = new Map(names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));

afterEach(() => {
  for (const [name, descriptor] of before) {
    Reflect.deleteProperty(globalThis, name);
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  }
});

test('importing the client, and making its storages, touches no global: a server renders with it', async () => {
  // What it depends on is loaded by then: tRPC asks whether there is a window, which is its own affair.
  await import('@trpc-once/client');
  const touched: string[] = [];
  for (const name of names)
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        touched.push(name);
        throw new DOMException(`${name} may not be named`, 'SecurityError');
      },
    });
  vi.resetModules();
  const client = await import('@trpc-once/client');
  await Promise.all([
    import('@trpc-once/client/async-storage'),
    import('@trpc-once/client/mmkv'),
    import('@trpc-once/client/sqlite'),
    import('@trpc-once/client/file'),
  ]);
  const storages = [client.indexedDbStorage(), client.localStorageStorage(), client.memoryStorage()];
  client.withCodec(storages[0]!, { encode: (text) => text, decode: (text) => text });
  expect(touched).toEqual([]);
});
