import type { Operation } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { useReducer } from 'react';
import { Attempts } from './attempts.js';
import { client } from './client.js';
import { DamagedRecord } from './damaged-record.js';
import { useDelivered } from './delivered.js';
import { KeepsFocus } from './keeps-focus.js';
import { orderedLines } from './ordered-lines.js';
import { isTurnedDown, standing } from './outbox-words.js';
import { inWords } from './products.js';
import { signOut } from './sign-out.js';

/** What this device keeps for whoever is signed in: each order with its attempts, as they happen. */
export function OutboxPanel({ accountId }: { readonly accountId: string | null }) {
  const pending = useOutbox(client.outbox);
  const delivered = useDelivered().filter(({ owner }) => owner === accountId);
  const damaged = client.outbox.damaged();
  // The outbox tells of operations, and these are none any more.
  const [, lookAgain] = useReducer((times: number) => times + 1, 0);
  return (
    <KeepsFocus className="card" aria-labelledby="outbox">
      <h2 id="outbox">
        Outbox <span className="count">{pending.length}</span>
      </h2>
      {pending.length + delivered.length + damaged.length === 0 && (
        <p className="quiet">
          {accountId === null
            ? 'What is kept for others is not shown.'
            : 'Empty. An order is kept here from the tap until its outcome is known.'}
        </p>
      )}
      <ol className="operations">
        {[...pending].reverse().map((operation) => (
          <Entry key={operation.key} operation={operation} />
        ))}
        {delivered.map((operation) => (
          <Entry key={operation.key} operation={operation} done />
        ))}
      </ol>
      {damaged.map(({ id, reason }) => (
        <DamagedRecord key={id} id={id} reason={reason} accountId={accountId} discarded={lookAgain} />
      ))}
      {accountId !== null && pending.length > 0 && (
        <div className="shared">
          <p className="quiet">On somebody else's device? Sign out, and</p>
          <button type="button" onClick={() => void signOut(accountId, 'purge')}>
            Keep nothing here
          </button>
        </div>
      )}
    </KeepsFocus>
  );
}

interface EntryProps {
  readonly operation: Operation;
  /** Its outcome was handed over; the outbox has forgotten it. */
  readonly done?: boolean;
}

function Entry({ operation, done = false }: EntryProps) {
  const { key, state, parked } = operation;
  return (
    <li className="operation" data-key={key} data-state={done ? 'delivered' : state}>
      <div className="head">
        <span className="badge" data-state={isTurnedDown(operation) ? 'turned-down' : state}>
          {standing(operation)}
        </span>
        {(state === 'waiting' || state === 'parked') && (
          <button type="button" onClick={() => void client.outbox.resume(key).catch(() => {})}>
            {parked === 'server-changed' ? 'Order it here' : 'Ask now'}
          </button>
        )}
        {state === 'expired' && (
          <button type="button" onClick={() => void client.outbox.dismiss(key)}>
            Dismiss
          </button>
        )}
      </div>
      <div className="what">
        <span className="grow">{inWords(orderedLines(operation))}</span>
        <code title={key}>key {key.slice(0, 8)}…</code>
      </div>
      <Attempts operation={operation} />
    </li>
  );
}
