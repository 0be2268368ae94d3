import type { SignOutReport } from '@trpc-once/client';
import { useState } from 'react';
import { client } from './client.js';
import { people, session } from './session.js';
import { money } from './words.js';

/** Who is here. Signing out keeps what is pending, and says how much that is. */
export function SignIn({
  accountId,
  balanceCents,
}: {
  readonly accountId: string | null;
  readonly balanceCents: number | undefined;
}) {
  const [left, setLeft] = useState('');
  const [leaving, setLeaving] = useState(false);
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
  const signOut = async () => {
    setLeaving(true);
    // Attempts under way get a moment to bring their outcome; what is still open then is kept.
    const report = await client.outbox.signOut({ pending: 'keep', waitMs: 1_000 }).catch(() => undefined);
    setLeft(kept(people[accountId]!, report));
    setLeaving(false);
    session.set(null);
  };
  return (
    <div className="who">
      <span>
        <strong>{people[accountId]}</strong>
        {balanceCents !== undefined && <span className="quiet balance"> {money(balanceCents)}</span>}
      </span>
      <button type="button" disabled={leaving} onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

/** What a sign-out left, told without a guess. */
function kept(name: string, report: SignOutReport | undefined): string {
  if (!report) return `${name}'s orders are kept on this device.`;
  const parts = [
    ...(report.unknown > 0 ? [`${orders(report.unknown)} may have gone through`] : []),
    ...(report.unsent > 0 ? [`${orders(report.unsent)} not sent yet`] : []),
  ];
  return parts.length === 0 ? '' : `Kept for ${name}: ${parts.join(', ')}.`;
}

function orders(count: number): string {
  return count === 1 ? 'one order' : `${count} orders`;
}
