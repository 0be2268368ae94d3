import type { SignOutOptions, SignOutReport } from '@trpc-once/client';
import { client } from './client.js';
import { people, session } from './session.js';
import { StoredValue } from './stored-value.js';

/** What the sign-out on this page left, until somebody signs in. */
export const farewell = new StoredValue('shop.farewell', '', 'sessionStorage');

session.subscribe(() => {
  if (session.get() !== null) farewell.set('');
});

/** Ends `accountId`'s session; what is pending is kept, or removed, as asked. */
export async function signOut(accountId: string, pending: SignOutOptions['pending']): Promise<void> {
  // Whoever is signed in by now, in another tab, did not tap here.
  if (session.get() !== accountId) return;
  // Attempts under way get a moment to bring their outcome; what is still open then is kept, or removed.
  const report = await client.outbox.signOut({ pending, waitMs: 1_000 }).catch(() => undefined);
  if (session.get() !== accountId) return;
  farewell.set(told(people[accountId]!, report));
  session.set(null);
}

/** What a sign-out left, told without a guess. */
function told(name: string, report: SignOutReport | undefined): string {
  if (!report) return `${name}'s orders may still be kept on this device.`;
  const parts = [
    ...(report.unknown > 0 ? [`${orders(report.unknown)} may have gone through`] : []),
    ...(report.unsent > 0 ? [`${orders(report.unsent)} not placed so far`] : []),
  ];
  if (parts.length === 0) return '';
  return `${report.pending === 'keep' ? `Kept for ${name}` : 'Not kept'}: ${parts.join(', ')}.`;
}

function orders(count: number): string {
  return count === 1 ? 'one order' : `${count} orders`;
}
