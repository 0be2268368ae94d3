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
  const signOut = () => {
    setLeft(kept(people[accountId]!, client.outbox.snapshot().length));
    session.set(null);
  };
  return (
    <div className="who">
      <span>
        <strong>{people[accountId]}</strong>
        {balanceCents !== undefined && <span className="quiet balance"> {money(balanceCents)}</span>}
      </span>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

function kept(name: string, pending: number): string {
  if (pending === 0) return '';
  const what = pending === 1 ? 'One order without an outcome is' : `${pending} orders without an outcome are`;
  return `${what} kept for ${name}.`;
}
