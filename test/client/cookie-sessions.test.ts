import { expect, test } from 'vitest';
import { shopClient } from './clients.js';
import type { Reply } from './exchange.js';
import { html, result, trpcError } from './replies.js';
import { scriptedServer } from './scripted-server.js';

test('case 46: a tab that has not heard who is signed in now sends nothing that would run for them, where the server is told whom it means', async () => {
  await using server = await scriptedServer();
  // What every request of the browser carries, whichever tab it comes from.
  let cookie = 'ann';
  const asMeant: Reply = (exchange) =>
    (exchange.headers['x-owner'] === cookie ? result() : trpcError(401, { code: 'UNAUTHORIZED' }))(exchange);
  server.next(html(502));
  server.always(asMeant);
  const tabOfAnn = shopClient(server.url, {
    owner: () => 'ann',
    headers: ({ owner }: { readonly owner: string | null }) => ({ 'x-owner': owner ?? '' }),
    retry: { minDelayMs: 1, maxDelayMs: 2 },
  });
  const placing = tabOfAnn.orders.place.mutate({ sku: 'tea' });
  cookie = 'bob';
  await expect(placing).rejects.toMatchObject({ name: 'OperationParkedError', reason: 'unauthorized' });
  expect(server.effects).toEqual([]);
  cookie = 'ann';
  await tabOfAnn.outbox.resume();
  expect(server.effects).toEqual([await placing.key()]);
});
