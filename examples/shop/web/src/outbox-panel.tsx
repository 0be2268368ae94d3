import type { Operation } from '@trpc-once/client';
import { useOutbox } from '@trpc-once/client/react';
import { Attempts } from './attempts.js';
import { client } from './client.js';
import { useDelivered } from './delivered.js';
import { isTurnedDown, standing } from './words.js';

/** What this device keeps for whoever is signed in: each order with its attempts, as they happen. */
export function OutboxPanel({ accountId }: { readonly accountId: string | null }) {
  const pending = useOutbox(client.outbox);
  const delivered = useDelivered().filter(({ owner }) => owner === accountId);
  return (
    <section className="card" aria-labelledby="outbox">
      <h2 id="outbox">
        Outbox <span className="count">{pending.length}</span>
      </h2>
      {pending.length + delivered.length === 0 && (
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
    </section>
  );
}

function Entry({ operation, done = false }: { readonly operation: Operation; readonly done?: boolean }) {
  const { key, state, nextAttemptAt } = operation;
  const idle = state === 'parked' || state === 'waiting';
  const badge = idle && nextAttemptAt === undefined ? 'unknown' : state;
  return (
    <li className="operation" data-key={key} data-state={done ? 'delivered' : state}>
      <div className="head">
        <span className="badge" data-state={isTurnedDown(operation) ? 'turned-down' : badge}>
          {standing(operation)}
        </span>
        <code title={`The order's key: ${key}`}>{key.slice(0, 8)}</code>
        {idle && (
          <button type="button" onClick={() => void client.outbox.resume(key).catch(() => {})}>
            Ask now
          </button>
        )}
        {state === 'expired' && (
          <button type="button" onClick={() => void client.outbox.dismiss(key)}>
            Dismiss
          </button>
        )}
        <span className="what">{what(operation)}</span>
      </div>
      <Attempts operation={operation} />
    </li>
  );
}

function what({ body }: Operation): string {
  const { lines } = JSON.parse(body ?? '{}') as { lines?: { sku: string; quantity: number }[] };
  return (lines ?? []).map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ');
}
