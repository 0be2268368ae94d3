import { createIdempotentClient, isOutcomeUnknown, type Operation, withCodec } from '@trpc-once/client';
import { asyncStorageStorage } from '@trpc-once/client/async-storage';
import { type MmkvLike, mmkvStorage } from '@trpc-once/client/mmkv';
import { sqliteStorage } from '@trpc-once/client/sqlite';
import { defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

// Type-checked only, as an app of React Native's template is: without the DOM's types, resolved as Metro would.

const shop = defineContract({
  orders: {
    place: procedure
      .input(z.object({ sku: z.string() }))
      .output(z.object({ id: z.number() }))
      .idempotent()
      .mutation(),
  },
});

declare const mmkv: MmkvLike;
declare const appState: {
  addEventListener(type: 'change', listener: (now: string) => void): { remove(): void };
};
declare const asyncStorage: Parameters<typeof asyncStorageStorage>[0];
declare const database: Parameters<typeof sqliteStorage>[0];

export const storages = [mmkvStorage(mmkv), asyncStorageStorage(asyncStorage), sqliteStorage(database)];

export const client = createIdempotentClient({
  contract: shop,
  url: 'https://shop.example/trpc',
  owner: () => 'ann',
  storage: withCodec(mmkvStorage(mmkv), { encode: (text) => text, decode: (text) => text }),
  onWake: (wake) => {
    const app = appState.addEventListener('change', (now) => now === 'active' && wake('shown'));
    return () => app.remove();
  },
  onSettled: (operation: Operation, outcome) => void [operation.key.length, outcome.ok],
});

export async function buy(): Promise<number | undefined> {
  try {
    const { id } = await client.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' });
    // @ts-expect-error it is a number: the contract's types reach the app
    const text: string = id;
    return text.length;
  } catch (error) {
    if (isOutcomeUnknown(error)) return error.attempts;
    // @ts-expect-error there is no such input
    void client.orders.place.mutate({ quantity: 1 });
    // @ts-expect-error nor such a storage
    mmkvStorage({});
    throw error;
  }
}
