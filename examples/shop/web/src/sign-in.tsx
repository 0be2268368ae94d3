import { useState } from 'react';
import { KeepsFocus } from './keeps-focus.js';
import { people, session } from './session.js';
import { farewell, signOut } from './sign-out.js';
import { useStored } from './stored-value.js';
import { money } from './words.js';

export interface SignInProps {
  readonly accountId: string | null;
  readonly balanceCents: number | undefined;
}

/** Who is here; and, after a sign-out, what that left. */
export function SignIn({ accountId, balanceCents }: SignInProps) {
  const left = useStored(farewell);
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    if (leaving || accountId === null) return;
    setLeaving(true);
    await signOut(accountId, 'keep');
    setLeaving(false);
  };
  return (
    <>
      <KeepsFocus className="who" aria-label="Account">
        {accountId === null ? (
          Object.entries(people).map(([id, name]) => (
            <button key={id} type="button" onClick={() => session.set(id)}>
              Sign in as {name}
            </button>
          ))
        ) : (
          <>
            <span>
              <strong>{people[accountId]}</strong>
              {balanceCents !== undefined && <span className="quiet balance">{money(balanceCents)}</span>}
            </span>
            <button type="button" aria-disabled={leaving} onClick={() => void leave()}>
              {leaving ? 'Signing out…' : 'Sign out'}
            </button>
          </>
        )}
      </KeepsFocus>
      <p className="notice left" role="status">
        {accountId === null && left}
      </p>
    </>
  );
}
