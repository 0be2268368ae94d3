import type { AttemptNote, Operation } from '@trpc-once/client';
import { useEffect, useState } from 'react';
import { ended } from './outbox-words.js';

/** Every attempt of an operation, the one under way included. */
export function Attempts({ operation }: { readonly operation: Operation }) {
  const { notes, attempts, state, nextAttemptAt } = operation;
  return (
    <ol className="attempts" aria-label="Attempts">
      {notes.map((note) => (
        <li key={note.number} data-kind={kind(note)}>
          <b>{note.number}</b> <span className="grow">{ended(note)}</span> <code>{note.ended}</code>
        </li>
      ))}
      {state === 'sending' && (
        <li data-kind="open">
          <b>{attempts}</b> under way…
        </li>
      )}
      {state === 'waiting' && nextAttemptAt !== undefined && (
        <li data-kind="open">
          <b>{attempts + 1}</b> <Countdown to={nextAttemptAt} />
        </li>
      )}
    </ol>
  );
}

function Countdown({ to }: { readonly to: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, to - now) / 1_000;
  return <>{seconds > 0 ? `in ${seconds.toFixed(1)} s` : 'any moment now'}</>;
}

function kind({ ended: how }: AttemptNote): 'good' | 'silent' | 'other' {
  if (how === 'settled' || how === 'replayed') return 'good';
  return how === 'network' || how === 'timeout' || how === 'cut-body' ? 'silent' : 'other';
}
