/**
 * Buys something in the shop that is being served. End it at any moment, `kill -9` included, and run it again: the
 * order that was under way is asked for with the same key, and charged once.
 *
 *     SHOP_URL=http://127.0.0.1:3000 ACCOUNT=ada  main.ts [sku] [quantity]
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOutcomeUnknown } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { declaredError } from '@trpc-once/contract';
import { shop } from '../contract.js';
import { shopClient } from './shop-client.js';

const { SHOP_URL: url = 'http://127.0.0.1:3000', ACCOUNT: accountId = 'ada' } = process.env;
const [sku = 'tea-green', quantity = '1'] = process.argv.slice(2);

const client = shopClient({
  url,
  accountId,
  // One process has the directory to itself. A service would keep it where its data is.
  storage: fileStorage(join(tmpdir(), `shop-outbox-${accountId}`)),
  onSettled: ({ intent }, { ok }) =>
    console.log(`An earlier order (${intent}) ${ok ? 'went through' : 'was turned down'}.`),
});

try {
  // The intent makes a second run of this command, while the first one's order is pending, the same order.
  const order = await client.orders.place.mutate(
    { sku, quantity: Number(quantity) },
    { intent: `${quantity} × ${sku}` },
  );
  const { balanceCents } = await client.accounts.balance.query();
  console.log(`Order ${order.id}: ${order.quantity} × ${order.sku} for ${euros(order.totalCents)}.`);
  console.log(`${accountId} has ${euros(balanceCents)} left.`);
} catch (error) {
  console.error(explained(error));
  process.exitCode = 1;
} finally {
  await client.outbox.close();
}

function explained(error: unknown): string {
  const declared = declaredError(error, shop.orders.place);
  switch (declared?.name) {
    case 'OUT_OF_STOCK':
      return `Only ${declared.data.left} of ${declared.data.sku} are left.`;
    case 'INSUFFICIENT_FUNDS':
      return `${euros(declared.data.priceCents)} is more than the ${euros(declared.data.balanceCents)} of ${accountId}.`;
    case 'UNKNOWN_SKU':
      return `The shop has no ${declared.data.sku}.`;
  }
  if (isOutcomeUnknown(error))
    return `Whether the order went through is not known yet (${error.reason}); it is kept. Run this again to find out.`;
  return String(error);
}

function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}
