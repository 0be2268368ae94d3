import type { Operation } from '@trpc-once/client';
import type { CheckOut } from '../../src/contract.js';

/** What an operation orders: its wire body is the input as JSON, and never changes. */
export function orderedLines({ body }: Operation): CheckOut['lines'] {
  return (JSON.parse(body ?? '{"lines":[]}') as CheckOut).lines;
}
