import { Checkout } from './checkout.js';
import { NetworkSwitch } from './network-switch.js';
import { Orders } from './orders.js';
import { OutboxPanel } from './outbox-panel.js';
import { session } from './session.js';
import { Shelf } from './shelf.js';
import { SignIn } from './sign-in.js';
import { useStored } from './stored-value.js';
import { useShop } from './use-shop.js';

export function App() {
  const accountId = useStored(session);
  const shop = useShop(accountId);
  return (
    <>
      <header className="top">
        <h1>The tea shop</h1>
        <SignIn accountId={accountId} balanceCents={shop.balanceCents} />
      </header>
      <p className="intro">
        Break the network, then place an order.
        <br />
        Tap twice, reload, close the tab: one order.
      </p>
      <main>
        <div className="buy">
          {accountId === null ? (
            <p className="card quiet">Sign in to fill a cart. What was ordered before is kept.</p>
          ) : (
            <>
              <Shelf products={shop.products} readable={shop.readable} />
              {/* Another account's cart is another component: nothing of the former stays. */}
              <Checkout key={accountId} accountId={accountId} products={shop.products} orders={shop.orders} />
            </>
          )}
        </div>
        <div className="see">
          <NetworkSwitch />
          <OutboxPanel accountId={accountId} />
        </div>
        {accountId !== null && <Orders orders={shop.orders} readable={shop.readable} />}
      </main>
      <footer>
        Every order has one key, is kept on this device before it is sent, and is asked for until its outcome
        is known.
      </footer>
    </>
  );
}
