import type { ParkReason } from '../../errors/operation-parked-error.js';
import type { UnknownReason } from '../../errors/outcome-unknown-error.js';
import type { Operation } from '../operation/operation.js';

/** How a run left its operation, and what stood in the way of an outcome. */
export type RunEnd = { readonly operation: Operation; readonly cause?: unknown } & (
  | { readonly kind: 'settled' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'parked'; readonly reason: ParkReason }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }
  /** It is not in storage any more: handed over or dismissed by somebody else. */
  | { readonly kind: 'gone' }
  /** Storage refused the operation before anything could be sent; it is not kept. */
  | { readonly kind: 'not-stored' }
);
