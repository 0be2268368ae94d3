import { cartOf, renewCart } from './cart.js';
import { client } from './client.js';

export interface DamagedRecordProps {
  readonly id: string;
  readonly reason: string;
  readonly accountId: string | null;
  /** Told when it was let go of, or could not be. */
  readonly discarded: () => void;
}

/**
 * What this device keeps and cannot read. Nobody can ask for it any more, and the page makes no guess: whoever has looked
 * among the orders may let go of it.
 */
export function DamagedRecord({ id, reason, accountId, discarded }: DamagedRecordProps) {
  return (
    <div className="notice">
      <p>
        <strong>A record cannot be read.</strong> What it was may have taken effect. It is left as it is, and
        hides no other. <code>{reason}</code>
      </p>
      <p>
        Look among your orders on record before you discard it: nothing on this device tells of it afterwards,
        and the same order again is a second one.
      </p>
      <button type="button" onClick={() => void discard(id, accountId).then(discarded)}>
        Discard this record
      </button>
    </div>
  );
}

async function discard(id: string, accountId: string | null): Promise<void> {
  const { id: key, lines } = cartOf(accountId).get();
  // Its cart must not be ordered again under a key that the shop may have forgotten. First, in case the page is killed.
  if (id.includes(key)) {
    const ordered = Object.entries(lines).map(([sku, quantity]) => ({ sku, quantity }));
    renewCart(accountId, key, ordered);
  }
  // Where it is another one by now, or storage refuses, it stays listed.
  await client.outbox.discard(id).catch(() => {});
}
