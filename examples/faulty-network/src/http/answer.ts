import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { endToEnd, type RawHeaders, withLength } from './headers.js';

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: RawHeaders;
  readonly body: Buffer;
}

/**
 * Reads an answer to its end, so that the upstream has finished before anything is done to the client.
 * @throws the socket's error when the upstream dies in the middle of it.
 */
export async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 502,
    reason: message.statusMessage ?? '',
    headers: withLength(endToEnd(message.rawHeaders), body),
    body,
  };
}

/**
 * The first bytes of an answer as they would travel: all of the head and a share of the body, at least one byte of it
 * and never all. A body too short to be cut in two is cut in the head instead.
 *
 * @param cutAt in [0, 1)
 */
export function firstPart(answer: Answer, cutAt: number): Buffer {
  const lines = [`HTTP/1.1 ${answer.status} ${answer.reason}`];
  for (let at = 0; at < answer.headers.length; at += 2)
    lines.push(`${answer.headers[at]}: ${answer.headers[at + 1]}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (answer.body.length < 2) return head.subarray(0, between(1, head.length - 5, cutAt));
  return Buffer.concat([head, answer.body.subarray(0, between(1, answer.body.length - 1, cutAt))]);
}

function between(least: number, most: number, share: number): number {
  return least + Math.floor(share * (most - least + 1));
}

/** An HTML page as a gateway in front of the service writes it: nothing in it that a tRPC client could parse. */
export function gatewayPage(status: 502 | 503 | 504): Answer {
  const title = `${status} ${STATUS_CODES[status]}`;
  return made(
    status,
    `<!doctype html><title>${title}</title><h1>${title}</h1><hr><p>faulty-network</p>\n`,
    'text/html',
  );
}

/** A rate limit as gateways answer it: JSON, but not tRPC's. */
export function tooManyRequests(): Answer {
  return made(429, '{"message":"Too many requests"}\n', 'application/json', ['Retry-After', '1']);
}

/** What a hotel's network says to everything until one has signed in: a success that means nothing. */
export function captivePortal(): Answer {
  return made(
    200,
    '<!doctype html><title>Welcome</title><form action="/login"><button>Sign in to the network</button></form>\n',
    'text/html',
  );
}

/** Lets a page of `origin` read a made-up answer, as a gateway that knows of CORS would. */
export function readableFrom(answer: Answer, origin: string | undefined): Answer {
  if (origin === undefined) return answer;
  const cors = [
    ...['Access-Control-Allow-Origin', origin],
    ...['Access-Control-Allow-Credentials', 'true'],
    ...['Access-Control-Expose-Headers', 'Retry-After'],
    ...['Vary', 'Origin'],
  ];
  return { ...answer, headers: [...answer.headers, ...cors] };
}

function made(status: number, text: string, type: string, headers: string[] = []): Answer {
  return {
    status,
    reason: STATUS_CODES[status] ?? '',
    headers: ['Content-Type', `${type}; charset=utf-8`, ...headers, 'Content-Length', String(text.length)],
    body: Buffer.from(text, 'latin1'),
  };
}
