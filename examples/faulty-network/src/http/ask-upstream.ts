import { type Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { RawHeaders } from './headers.js';

/** A request that was read to its end, so that it can be sent as often as wanted, byte for byte. */
export interface KeptRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: RawHeaders;
  readonly body: Buffer;
}

export type Asked =
  | { readonly got: 'head'; readonly message: IncomingMessage }
  /** Nobody took the connection: not a byte was sent, so another upstream may be asked. */
  | { readonly got: 'refused'; readonly error: Error }
  /** The connection broke afterwards: the request may or may not have been handled. */
  | { readonly got: 'broken'; readonly error: Error };

export interface AskOptions {
  readonly agent: Agent;
  /** Called when the connection stands and the request goes out. */
  readonly onForwarded: () => void;
  readonly signal: AbortSignal;
}

/** Sends one copy of `request` to `upstream`; resolves at the head of the answer, and never rejects. */
export function askUpstream(request: KeptRequest, upstream: URL, options: AskOptions): Promise<Asked> {
  const { agent, onForwarded, signal } = options;
  return new Promise((resolve) => {
    let connected = false;
    const { hostname, port } = urlToHttpOptions(upstream);
    const { method, path, headers } = request;
    const outgoing = openRequest({ agent, hostname, port, method, path, headers, signal });
    outgoing.once('socket', (socket) => {
      const stands = () => {
        connected = true;
        onForwarded();
      };
      if (socket.connecting) socket.once('connect', stands);
      else stands();
    });
    outgoing.once('response', (message) => resolve({ got: 'head', message }));
    outgoing.on('error', (error) =>
      resolve({ got: connected || signal.aborted ? 'broken' : 'refused', error }),
    );
    // A Buffer even when empty: Node would join a string with the head and write both as UTF-8, which changes the
    // bytes of a header that is not ASCII.
    outgoing.end(request.body);
  });
}
