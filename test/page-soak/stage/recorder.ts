import { once } from 'node:events';
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Arrival, Story } from '../story/story.js';

export interface RecorderOptions {
  readonly visitor: string;
  /** Where the shop is now; it keeps its port when it is killed and started again. */
  readonly upstream: number;
  readonly story: Story;
}

/** A visitor's way to the shop, where everything that leaves the browser is seen, whatever dies afterwards. */
export interface Recorder extends AsyncDisposable {
  readonly url: string;
}

/** Passes on what it gets, and a broken connection as a broken connection. An origin of its own for each visitor. */
export async function startRecorder({ visitor, upstream, story }: RecorderOptions): Promise<Recorder> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const arrival = arrivalOf(visitor, request, body);
    if (arrival) story.arrivals.push(arrival);
    const { method, url, headers } = request;
    const forward = ask({ host: '127.0.0.1', port: upstream, method, path: url, headers, agent: false });
    // A visitor who is gone is gone for the shop too.
    response.once('close', () => forward.destroy());
    forward.end(body);
    const [answer] = (await once(forward, 'response')) as [IncomingMessage];
    const { statusCode: status = 0 } = answer;
    if (arrival)
      arrival.answer = {
        at: Date.now(),
        status,
        settlement: answer.headers['idempotency-status']?.toString(),
      };
    response.writeHead(status, answer.headers);
    await pipeline(answer, response);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function arrivalOf(
  visitor: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Arrival | undefined {
  if (method !== 'POST' || !url?.startsWith('/trpc/orders.checkOut')) return undefined;
  return {
    at: Date.now(),
    visitor,
    key: String(headers['idempotency-key'] ?? '').replace(/^"|"$/g, ''),
    authorization: String(headers.authorization ?? ''),
    body: body.toString(),
    network: String(headers['x-shop-network'] ?? '').split(' ')[0]!,
  };
}
