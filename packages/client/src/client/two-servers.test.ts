import { defineContract, procedure } from '@trpc-once/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { coordinatedBy } from '../outbox/coordination/coordinated-by.js';
import { memoryStorage } from '../outbox/storages/memory.js';
import type { OutboxStorage } from '../outbox/store/storage.js';
import { settled } from '../testing/fake-clock.js';
import { createIdempotentClient } from './create-idempotent-client.js';

const contract = defineContract({ pay: procedure.idempotent().mutation() });

/** What all tabs of an origin have, as two modules of one page open it. */
function tabsStorage(name: string): OutboxStorage {
  return { ...memoryStorage(), name, durable: true, coordination: coordinatedBy(() => undefined) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("a second client over one storage sends nothing of the first one's to its own server, and says why", async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const storage = tabsStorage('IndexedDB a');
  const posts: string[] = [];
  const clientOf = (url: string, answers: boolean) =>
    createIdempotentClient({
      ...{ contract, url, storage, owner: () => 'ann', retry: { maxAttempts: 1 } },
      fetch: async (address) => {
        posts.push(address);
        if (!answers) throw new TypeError('fetch failed');
        return new Response('{"result":{"data":"paid"}}');
      },
    });
  const first = clientOf('https://a.example/trpc', false);
  await expect(first.pay.mutate()).rejects.toMatchObject({ name: 'OutcomeUnknownError' });
  const second = clientOf('https://b.example/trpc', true);
  await settled();
  expect(await second.outbox.resume()).toEqual({ settled: 0, pending: 1 });
  expect(posts).toEqual(['https://a.example/trpc/pay']);
  expect(await second.outbox.list()).toMatchObject([
    { parked: 'server-changed', server: 'https://a.example/trpc' },
  ]);
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^IndexedDB a is the outbox of .*a\.example.*b\.example.* a database/)],
  ]);
});

test('it is said once, and not of a client that is made anew for the same server, nor of storages of their own', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const make = (url: string, storage: OutboxStorage) =>
    createIdempotentClient({ contract, url, storage, owner: () => null });
  make('https://a.example/trpc', tabsStorage('IndexedDB b'));
  make('https://a.example/trpc/?v=2', tabsStorage('IndexedDB b'));
  make('https://b.example/trpc', tabsStorage('IndexedDB c'));
  make('https://a.example/trpc', memoryStorage());
  make('https://b.example/trpc', memoryStorage());
  expect(warn).not.toHaveBeenCalled();
  for (const host of ['c', 'd', 'a', 'c']) make(`https://${host}.example/trpc`, tabsStorage('IndexedDB b'));
  expect(warn).toHaveBeenCalledTimes(1);
});
