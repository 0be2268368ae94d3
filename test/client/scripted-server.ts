import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseIdempotencyKey } from '@trpc-once/contract';
import type { Arrived, Exchange, Reply } from './exchange.js';
import { html, result } from './replies.js';

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, refused ones included. */
  readonly arrived: readonly Arrived[];
  /** The keys that took effect, in their order: the ledger. */
  readonly effects: readonly string[];
  /** The next requests get these replies, one each; every later one is committed and answered. */
  next(...replies: Reply[]): void;
  /** Every request gets this reply, once `next` is used up. */
  always(reply: Reply): void;
}

/** A real HTTP server, on a port of its own unless one is given, that does to each request what the test wrote down. */
export async function scriptedServer(port = 0): Promise<ScriptedServer> {
  const arrived: Arrived[] = [];
  const effects: string[] = [];
  const script: Reply[] = [];
  let otherwise: Reply = result();
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://here');
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const parsed = parseIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
    const key = parsed.ok ? parsed.key : undefined;
    const { headers } = request;
    const one: Arrived = { path: pathname.replace('/trpc/', ''), search, key, headers, body };
    const commit = () => {
      const first = key === undefined || !effects.includes(key);
      if (first) effects.push(key ?? 'none');
      return first;
    };
    const exchange: Exchange = { ...one, response, commit };
    arrived.push(one);
    if (pathname === '/portal') return void html(200)(exchange);
    await (script.shift() ?? otherwise)(exchange);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/trpc`,
    arrived,
    effects,
    next: (...replies) => void script.push(...replies),
    always(reply) {
      otherwise = reply;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
