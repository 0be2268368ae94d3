import type { SignOutOptions, SignOutReport } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { useState } from 'react';
import { client } from './client.js';
import { people, session } from './session.js';
import { money } from './words.js';

/** Who is here. Signing out keeps or removes what is pending, as asked, and says how much that is. */
export function SignIn({
  accountId,
  balanceCents,
}: {
  readonly accountId: string | null;
  readonly balanceCents: number | undefined;
}) {
  const [left, setLeft] = useState('');
  const [leaving, setLeaving] = useState(false);
  const pending = useOutbox(client.outbox).length;
  if (accountId === null)
    return (
      <div className="who">
        {left && <span className="quiet">{left}</span>}
        {Object.entries(people).map(([id, name]) => (
          <button key={id} type="button" onClick={() => session.set(id)}>
            Sign in as {name}
          </button>
        ))}
      </div>
    );
  const signOut = async (what: SignOutOptions['pending']) => {
    // Whoever is signed in by now, in another tab, did not tap here.
    if (session.get() !== accountId) return;
    setLeaving(true);
    // Attempts under way get a moment to bring their outcome; what is still open then is kept, or removed.
    const report = await client.outbox.signOut({ pending: what, waitMs: 1_000 }).catch(() => undefined);
    setLeft(told(people[accountId]!, report));
    setLeaving(false);
    if (session.get() === accountId) session.set(null);
  };
  return (
    <div className="who">
      <span>
        <strong>{people[accountId]}</strong>
        {balanceCents !== undefined && <span className="quiet balance"> {money(balanceCents)}</span>}
      </span>
      <button type="button" disabled={leaving} onClick={() => void signOut('keep')}>
        Sign out
      </button>
      {pending > 0 && (
        <button type="button" disabled={leaving} onClick={() => void signOut('purge')}>
          Keep nothing here
        </button>
      )}
    </div>
  );
}

/** What a sign-out left, told without a guess. */
function told(name: string, report: SignOutReport | undefined): string {
  if (!report) return `${name}'s orders may still be kept on this device.`;
  const parts = [
    ...(report.unknown > 0 ? [`${orders(report.unknown)} may have gone through`] : []),
    ...(report.unsent > 0 ? [`${orders(report.unsent)} not sent yet`] : []),
  ];
  if (parts.length === 0) return '';
  return `${report.pending === 'keep' ? `Kept for ${name}` : 'Not kept'}: ${parts.join(', ')}.`;
}

function orders(count: number): string {
  return count === 1 ? 'one order' : `${count} orders`;
}
