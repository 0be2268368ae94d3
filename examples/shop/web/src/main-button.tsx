import type { UseOperation } from '@trpc-once/client/react';
import type { client } from './client.js';
import { signInAgain } from './network.js';
import { money } from './words.js';

/** The order of a cart, as the page's hook has it. */
export type Placing = UseOperation<typeof client.orders.checkOut>;

export interface MainButtonProps {
  readonly placing: Placing;
  /** The record of this cart's order cannot be read. */
  readonly isDamaged: boolean;
  readonly isEmpty: boolean;
  readonly cents: number;
  place(): void;
  startAnew(): void;
}

/**
 * The one thing to do now. It makes an order only while there is none: as long as an order's outcome is not known, it goes
 * on with that order.
 */
export function MainButton({ placing, isDamaged, isEmpty, cents, place, startAnew }: MainButtonProps) {
  const resume = () => void placing.resume();
  switch (placing.state) {
    case 'sending':
      return <Button>Ordering…</Button>;
    case 'waiting':
    case 'unknown':
      return <Button onClick={resume}>Ask again</Button>;
    case 'parked':
      // Resumed by its key it is sent here, where its key is not known.
      if (placing.reason === 'server-changed') return <Button onClick={resume}>Order it here</Button>;
      if (placing.reason !== 'unauthorized') return <Button onClick={resume}>Ask again</Button>;
      return (
        <Button
          onClick={() => {
            signInAgain();
            resume();
          }}
        >
          Sign in again
        </Button>
      );
    case 'expired':
      return <Button onClick={startAnew}>Start a new cart</Button>;
    default:
      if (isDamaged) return <Button onClick={startAnew}>Start a new cart</Button>;
      if (isEmpty) return <Button disabled>Place order</Button>;
      return (
        <Button makes onClick={place}>
          Place order · {money(cents)}
        </Button>
      );
  }
}

interface ButtonProps {
  readonly makes?: boolean;
  readonly disabled?: boolean;
  readonly children: React.ReactNode;
  onClick?(): void;
}

/** Always the same element in the same place, so that the focus stays; a disabled one would lose it. */
function Button({ makes = false, disabled = false, children, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      className={makes ? 'main makes' : 'main'}
      aria-disabled={disabled}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
