import { randomUUID } from 'node:crypto';
import type { ClientFetch } from '@trpc-once/client';
import type { Log } from '../log/log.js';
import { rawAnswer, reasonOf } from './exchange.js';

/** Names the operation to the network, so that what befalls it depends on the seed and not on its random key. */
export const operationHeader = 'x-operation';

/** A `fetch` for the client library that logs what it sends, and each answer before the library sees it. */
export function loggingFetch(log: Log, name: string): ClientFetch {
  const life = randomUUID().slice(0, 8);
  let attempts = 0;
  return async (url, init) => {
    const attempt = `${name}.${life}.${++attempts}`;
    const headers = init.headers as Record<string, string>;
    const key = (headers['idempotency-key'] ?? '').replaceAll('"', '');
    const { reference: operation } = JSON.parse(String(init.body)) as { reference: string };
    const path = new URL(url).pathname.slice(1);
    const principal = headers['x-user'] ?? '';
    const sent = { operation, role: 'honest', principal, key, path, via: 'network' } as const;
    log.write({ type: 'sent', at: Date.now(), attempt, ...sent });
    try {
      const named = { ...headers, 'x-attempt': attempt, [operationHeader]: operation };
      const response = await fetch(url, { ...init, headers: named });
      const text = await response.text();
      log.write({ type: 'answer', at: Date.now(), attempt, answer: rawAnswer(response, text) });
      return new Response(text, { status: response.status, headers: response.headers });
    } catch (error) {
      log.write({ type: 'silence', at: Date.now(), attempt, why: reasonOf(error) });
      throw error;
    }
  };
}
