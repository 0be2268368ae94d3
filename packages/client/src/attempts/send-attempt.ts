import { formatIdempotencyKey, wireHeaders } from '@trpc-once/contract';
import { AttemptError } from '../errors/attempt-error.js';
import { readAnswer } from './answer.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';
import type { Evidence, Silence } from './evidence.js';
import { within } from './pause.js';
import { retryAfterMs } from './retry-after.js';
import type { WireTransformer } from './transformer.js';

/** `fetch`, always called with a URL and what to do. */
export type ClientFetch = (url: string, init: RequestInit) => Promise<Response>;

/** As tRPC's links take them. */
export type HeaderValues = Iterable<[string, string]> | Record<string, string[] | string | undefined>;

/** Headers for every request, or a function asked anew for each one. */
export type ClientHeaders = HeaderValues | (() => HeaderValues | Promise<HeaderValues>);

export interface AttemptSettings {
  readonly url: string;
  readonly fetch: ClientFetch;
  readonly headers: ClientHeaders | undefined;
  readonly transformer: WireTransformer;
  readonly clock: Clock;
}

export interface Attempt {
  readonly key: string;
  readonly path: string;
  readonly body: string | null;
  /** Milliseconds since the key was first sent. */
  readonly ageMs: number;
  readonly timeoutMs: number;
  /** Asked with nothing between it and the send; `false` holds the attempt back. */
  mayLeave(): boolean;
  /** Ends the attempt at once, when the outbox closes. */
  readonly closing: Closing;
}

/**
 * Sends one attempt, reads its whole answer, and says what happened. Never throws, and never tries twice: the loop
 * around it decides.
 */
export async function sendAttempt(attempt: Attempt, settings: AttemptSettings): Promise<Evidence> {
  const canceller = new AbortController();
  const progress: Progress = { phase: 'headers', sent: false };
  const silence = (why: Silence, cause: unknown): Evidence => ({
    kind: 'silence',
    why,
    mayHaveArrived: progress.sent && !neverConnected(cause, settings.url),
    cause,
  });
  const { timeoutMs, closing } = attempt;
  if (closing.closed) canceller.abort();
  const exchanged = exchange(attempt, settings, canceller.signal, progress).catch((cause) =>
    cause instanceof Withheld ? WITHHELD : silence(progress.phase, cause),
  );
  // The deadline covers the body, and holds even where a fetch ignores its signal.
  const ended = await within(timeoutMs, settings.clock, closing, exchanged);
  if (ended) return ended;
  canceller.abort();
  return closing.closed
    ? silence('closed', new AttemptError('the outbox was closed'))
    : silence('timeout', new AttemptError(`no complete answer within ${timeoutMs} ms`));
}

const WITHHELD: Evidence = { kind: 'withheld' };

interface Progress {
  phase: 'headers' | 'network' | 'cut-body';
  sent: boolean;
}

async function exchange(
  attempt: Attempt,
  { url, fetch, headers, transformer, clock }: AttemptSettings,
  signal: AbortSignal,
  progress: Progress,
): Promise<Evidence> {
  const appHeaders = await (typeof headers === 'function' ? headers() : headers);
  // Made before anything is sent, so that a header or a URL the platform refuses is known not to have left.
  const { url: address, headers: all } = new Request(urlOf(url, attempt.path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...plain(appHeaders ?? {}),
      // In small letters as the app's are by now, or a header would be sent twice.
      [wireHeaders.key.toLowerCase()]: formatIdempotencyKey(attempt.key),
      [wireHeaders.keyAge.toLowerCase()]: String(Math.max(0, Math.floor(attempt.ageMs / 1000))),
    },
  });
  progress.phase = 'network';
  if (signal.aborted) throw new Error('the attempt was over before it could be sent');
  if (!attempt.mayLeave()) throw new Withheld();
  progress.sent = true;
  const response = await fetch(address, { method: 'POST', headers: plain(all), body: attempt.body, signal });
  progress.phase = 'cut-body';
  const text = await response.text();
  const answer = readAnswer(text, transformer);
  const facts = answer?.ok === false ? answer.facts : undefined;
  return {
    kind: 'answer',
    status: response.status,
    retryAfterMs:
      facts?.retryAfterMs ??
      // A date is by the server's clock, which the answer tells as well, where a page may see it.
      retryAfterMs(
        response.headers.get(wireHeaders.retryAfter),
        Date.parse(response.headers.get('date') ?? '') || clock.now(),
      ),
    replayed: facts?.settlement === 'replayed' || response.headers.get(wireHeaders.replayed) === 'true',
    text,
    answer,
  };
}

class Withheld extends Error {}

/** As tRPC's links build it: a query in the base URL stays at the end. */
function urlOf(base: string, path: string): string {
  const [address = '', query] = base.split('?');
  return `${address.replace(/\/$/, '')}/${path}${query ? `?${query}` : ''}`;
}

function plain(headers: HeaderValues): Record<string, string> {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const given = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const text = String(value);
      // A platform would say so itself, with the value in the message, and that is most often a credential.
      if (/[^\t\x20-\x7e\x80-\xff]/.test(text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')))
        throw new AttemptError(`the value of header "${name}" has characters that no header can carry`);
      return [name.toLowerCase(), text];
    }),
  );
}

/**
 * Node's codes for a connection that never came to be; browsers do not tell. EHOSTUNREACH and its like are not among them:
 * they also end connections that have carried a request already. A certificate is looked at before anything is sent.
 */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|(\w+_)?CERT(_\w+)?)$/;

/** @param url what was asked; a redirect may have led somewhere else, after the server had received it */
function neverConnected(error: unknown, url: string): boolean {
  const { cause, ...own } = (error ?? {}) as Facts & { readonly cause?: Facts };
  const { code, port, hostname } = cause ?? own;
  const asked = /^(\w+):\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*):?(\d*)/.exec(url);
  const elsewhere =
    (port !== undefined && asked && String(port) !== (asked[3] || (asked[1] === 'https' ? '443' : '80'))) ||
    (hostname !== undefined && asked && hostname !== asked[2]);
  return !elsewhere && NEVER_CONNECTED.test(String(code));
}

interface Facts {
  readonly code?: unknown;
  readonly port?: unknown;
  readonly hostname?: unknown;
}
