import type { Bank } from '../bank/start-bank.js';

/** What the claim store's failures were, in order. */
export function claimFailures({ events }: Bank): string[] {
  return events.flatMap((event) => (event.type === 'claims-failed' ? [String(event.error)] : []));
}

/** When the claim store was left alone (`false`) and when it answered again (`true`). */
export function claimAvailability({ events }: Bank): boolean[] {
  return events.flatMap((event) => (event.type === 'claims-available' ? [event.available] : []));
}
