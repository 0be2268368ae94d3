import { randomUUID } from 'node:crypto';

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came, to the byte. */
  readonly text: string;
  readonly body: any;
}

export interface SendOptions {
  /** `null` sends none. @default a new one */
  readonly key?: string | null;
  readonly user?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Sent as it is, in place of the input as JSON. */
  readonly rawBody?: string;
}

/** Sends one call the way curl would: no client of ours, no tRPC. */
export async function send(
  url: string,
  path: string,
  input: unknown,
  options: SendOptions = {},
): Promise<Sent> {
  const { key = randomUUID(), user = 'ann', headers = {}, signal, rawBody } = options;
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-user': user,
      ...(key !== null && { 'idempotency-key': key }),
      ...headers,
    },
    body: rawBody ?? (input === undefined ? null : JSON.stringify(input)),
    signal: signal ?? AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A transfer that anyone can afford. */
export const oneEuro = { from: 'a', to: 'b', cents: 100 };
