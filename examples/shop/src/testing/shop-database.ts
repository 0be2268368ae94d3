import { PGlite } from '@electric-sql/pglite';
import type { ErrorsOf } from '@trpc-once/contract';
import { DeclaredError, type ErrorFactories } from '@trpc-once/server';
import { type CheckOut, type PlaceOrder, shop } from '../contract.js';
import { createTables } from '../database/schema.sql.js';
import { offerProduct, openAccount } from '../database/seed.js';
import { checkOut } from '../orders/check-out.js';
import { placeOrder } from '../orders/place-order.js';

/**
 * A Postgres inside the test's process, started once for a file: that takes seconds, a new schema takes milliseconds.
 * Each `open()` gives tables of its own, in which ada has 100.00 and there are ten teas at 7.49; one at a time, for
 * PGlite is one connection.
 */
export async function shopDatabase() {
  const db = await PGlite.create();
  let opened = 0;
  return {
    close: () => db.close(),
    async open() {
      const schema = `shop_${++opened}`;
      await db.exec(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`);
      await createTables(db);
      await openAccount(db, { id: 'ada', balanceCents: 10_000 });
      await offerProduct(db, { sku: 'tea', name: 'Tea', priceCents: 749, stock: 10 });
      return {
        db,
        /** As the server does it: all or nothing. */
        place: (input: PlaceOrder, accountId = 'ada') =>
          db.transaction((tx) => placeOrder({ tx, accountId, input, errors })),
        checkOut: (input: CheckOut, accountId = 'ada') =>
          db.transaction((tx) => checkOut({ tx, accountId, input, errors })),
      };
    },
  };
}

type Errors = ErrorFactories<ErrorsOf<typeof shop.orders.place>>;

const declared = shop.orders.place.errors;

const errors = Object.fromEntries(
  Object.keys(declared).map((name) => [name, (data: unknown) => new DeclaredError(declared, name, data)]),
) as Errors;
