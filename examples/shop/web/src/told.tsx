import type { ParkReason } from '@trpc-once/client';
import type { Placing } from './main-button.js';
import { news } from './news.js';
import { useStored } from './stored-value.js';
import { turnedDown } from './words.js';

export interface ToldProps {
  readonly placing: Placing;
  readonly accountId: string;
  readonly cartId: string;
  /** The record of this cart's order cannot be read. */
  readonly isDamaged: boolean;
  /** Whether the shop's own list of orders has this one: proof that it went through. */
  readonly isOnRecord: boolean;
  /** `false` when it is certain that no attempt has taken effect so far. */
  readonly mayHaveRun: boolean;
}

/** What is known of the cart's order, and nothing more. */
export function Told({ placing, accountId, cartId, isDamaged, isOnRecord, mayHaveRun }: ToldProps) {
  const heard = useStored(news);
  switch (placing.state) {
    case 'idle':
    case 'settled':
      if (isDamaged)
        return <LookItUp why="What was kept of this order cannot be read." isOnRecord={isOnRecord} />;
      if (heard?.owner !== accountId) return null;
      return <Outcome of={heard.key} good={heard.good} text={heard.text} />;
    case 'sending':
    case 'waiting':
      // In the moment of the tap it is not on the disk yet.
      if (placing.attempts === 0) return <p className="quiet">The order is on its way.</p>;
      if (placing.attempts < 2 && placing.state === 'sending')
        return <p className="quiet">The order is kept on this device, and on its way.</p>;
      return (
        <Notice title="No outcome yet.">
          <p>
            The order is kept on this device, and the page asks again by itself. It is one order, however
            often it asks.
          </p>
        </Notice>
      );
    case 'unknown':
      return (
        <Notice title={mayHaveRun ? 'Not known yet.' : 'Not taken yet.'}>
          <p>
            {mayHaveRun
              ? 'No outcome came back, so the order may have gone through, or not. Nothing is lost: it is kept on this device.'
              : 'The shop could not take the order, and nothing was charged so far. It is kept on this device.'}
          </p>
          <ul>
            <li>
              You need not do anything: the page asks again now and then, and whenever you come back to it or
              are online again.
            </li>
            <li>You can ask again now. That is the same order, never a second one.</li>
          </ul>
        </Notice>
      );
    case 'parked':
      return (
        <Notice title={parked[placing.reason] ?? 'Kept for later.'}>
          <p>
            {mayHaveRun
              ? 'The order may have gone through before, or not.'
              : 'The order has not gone through so far.'}{' '}
            It is kept on this device, and goes on as the same order.
          </p>
        </Notice>
      );
    case 'expired':
      return <LookItUp why="Too old to ask again." isOnRecord={isOnRecord} />;
    case 'refused':
      return <Outcome of={cartId} good={false} text={turnedDown(placing.error)} />;
  }
}

interface NoticeProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

function Notice({ title, children }: NoticeProps) {
  return (
    <div className="notice">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

function Outcome({ of, good, text }: { readonly of: string; readonly good: boolean; readonly text: string }) {
  return (
    <p data-of={of} data-good={good}>
      {text}
    </p>
  );
}

/** Nobody can ask for it any more. Whether it went through, the shop's list of orders can tell. */
function LookItUp({ why, isOnRecord }: { readonly why: string; readonly isOnRecord: boolean }) {
  return (
    <Notice title={why}>
      <p>
        {isOnRecord
          ? 'The order went through: it is among your orders on record.'
          : 'The order may have gone through, or not. Look for it among your orders before you order the same again.'}
      </p>
    </Notice>
  );
}

const parked: { readonly [R in ParkReason]?: string } = {
  unauthorized: 'The shop no longer knows who you are.',
  'retry-later': 'The shop asks for patience.',
  declined: 'The shop would not answer just now.',
  indeterminate: 'The shop has to look into this order first.',
  'server-changed': 'This order was made for another shop.',
  'path-gone': 'Reload the page to go on with this order.',
};
