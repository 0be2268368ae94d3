import { useOutbox } from '@trpc-once/client/react';
import { client } from './client.js';

export function PendingOrders() {
  const pending = useOutbox(client.outbox);
  return (
    <ul>
      {pending.map(({ key, state, attempts }) => (
        <li key={key}>
          {state}, {attempts} attempts
        </li>
      ))}
    </ul>
  );
}
