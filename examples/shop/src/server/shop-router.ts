import { initTRPC, TRPCError } from '@trpc/server';
import type { Once } from '@trpc-once/server';
import { readBalance } from '../accounts/read-balance.js';
import { shop } from '../contract.js';
import type { Executor } from '../database/executor.js';
import { checkOut } from '../orders/check-out.js';
import { findOrder, listOrders } from '../orders/find-orders.js';
import { placeOrder } from '../orders/place-order.js';
import { listStock } from '../stock/list-stock.js';
import type { ShopContext } from './sign-in.js';

// Errors are read by strangers: without this they would carry stack traces wherever NODE_ENV is not set.
const t = initTRPC.context<ShopContext>().create({ isDev: false });

/** What everyone may see needs no sign-in, so it is asked for where an account is needed, not for all. */
function signedIn({ accountId }: ShopContext): string {
  if (accountId === null) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Sign in first.' });
  return accountId;
}

/** The shop's tRPC router: one handler for each procedure of the contract. */
export function shopRouter(once: Once<ShopContext, Executor>, db: Executor) {
  return once.implement(
    shop,
    { procedure: t.procedure },
    {
      accounts: {
        balance: ({ ctx }) => readBalance(db, signedIn(ctx)),
      },
      stock: {
        list: () => listStock(db),
      },
      orders: {
        place: ({ input, ctx, tx, errors }) => placeOrder({ tx, accountId: signedIn(ctx), input, errors }),
        async checkOut({ input, ctx, tx, errors }) {
          const orders = await checkOut({ tx, accountId: signedIn(ctx), input, errors });
          // Everything is written by now, and is rolled back with this.
          if (ctx.breaks) throw new Error('the shop breaks, because it was asked to');
          return orders;
        },
        async byId({ input, ctx, errors }) {
          const order = await findOrder(db, signedIn(ctx), input.id);
          if (!order) throw errors.UNKNOWN_ORDER();
          return order;
        },
        list: ({ input, ctx }) => listOrders(db, signedIn(ctx), input.limit),
      },
    },
  );
}
