import { memoryStorage, type OutboxStorage } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { shopClient } from '../client/clients.js';
import { scriptedServer } from '../client/scripted-server.js';
import { Checkout, type Client } from './checkout.js';
import { mount } from './mount.js';

/** A storage that notes whenever it is touched. */
function touched(): OutboxStorage & { readonly touches: string[] } {
  const touches: string[] = [];
  const noting = new Proxy(memoryStorage(), {
    get(storage, name: keyof OutboxStorage) {
      const found: unknown = storage[name];
      if (typeof found !== 'function') return found;
      return (...args: unknown[]) => {
        touches.push(name);
        return found.apply(storage, args);
      };
    },
  });
  return Object.assign(noting, { touches });
}

function Page({ client }: { readonly client: Client }) {
  return (
    <main>
      <Checkout client={client} intent="checkout:1" />
      {useOutbox(client.outbox).length} pending
    </main>
  );
}

test('on a server the hooks touch no storage, ask for no owner and send nothing', async () => {
  await using server = await scriptedServer();
  const storage = touched();
  const owner = vi.fn(() => null);
  const client = shopClient(server.url, { storage, owner });
  expect(renderToString(<Page client={client} />)).toContain('<p>idle 0</p>');
  expect(storage.touches).toEqual([]);
  expect(owner).not.toHaveBeenCalled();
  expect(server.arrived).toEqual([]);
  await client.outbox.close();
});

test('a page made on a server is taken over without a mismatch, and then shows what is pending', async () => {
  await using server = await scriptedServer();
  server.always(({ response }) => response.destroy());
  const client = shopClient(server.url, { retry: { maxAttempts: 1 } });
  await client.orders.place.mutate({ sku: 'tea' }, { intent: 'checkout:1' }).catch(() => {});
  const complained = vi.spyOn(console, 'error').mockImplementation(() => {});
  using page = mount(<Page client={client} />, { html: renderToString(<Page client={client} />) });
  await page.shows(/^unknown 1.*1 pending/);
  expect(complained).not.toHaveBeenCalled();
  complained.mockRestore();
  await client.outbox.close();
});
