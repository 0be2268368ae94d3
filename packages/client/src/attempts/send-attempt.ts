import { formatIdempotencyKey, wireHeaders } from '@trpc-once/contract';
import { AttemptError } from '../errors/attempt-error.js';
import { readAnswer } from './answer.js';
import type { Clock } from './clock.js';
import type { Closing } from './closing.js';
import type { Evidence, Silence } from './evidence.js';
import { within } from './pause.js';
import { bearable, retryAfterMs } from './retry-after.js';
import type { WireTransformer } from './transformer.js';

/** `fetch`, always called with a URL and what to do. */
export type ClientFetch = (url: string, init: RequestInit) => Promise<Response>;

/** As tRPC's links take them. */
export type HeaderValues = Iterable<[string, string]> | Record<string, string[] | string | undefined>;

/** Who a request is sent for. */
export interface HeadersOf {
  /** The operation's, who need not be signed in any more by the time the headers are there: a token has to be theirs. */
  readonly owner: string | null;
}

/** Headers for every request, or a function asked anew for each one. */
export type ClientHeaders = HeaderValues | ((of: HeadersOf) => HeaderValues | Promise<HeaderValues>);

/** Headers that can be read again: an iterator would be empty the second time. */
export function lasting(headers: ClientHeaders | undefined): ClientHeaders | undefined {
  return typeof headers === 'object' && Symbol.iterator in headers ? [...headers] : headers;
}

export interface AttemptSettings {
  readonly url: string;
  /** The app's own, of which nobody knows whether it repeats what fails. @default the global one */
  readonly fetch?: ClientFetch | undefined;
  readonly headers: ClientHeaders | undefined;
  readonly transformer: WireTransformer;
  readonly clock: Clock;
}

export interface Attempt extends HeadersOf {
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
    mayHaveArrived: progress.sent && (settings.fetch !== undefined || !neverConnected(cause)),
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
  const { key, owner } = attempt;
  const appHeaders = await (typeof headers === 'function' ? headers({ owner }) : headers);
  // Made before anything is sent, so that a header or a URL the platform refuses is known not to have left.
  const { url: address, headers: all } = new Request(urlOf(url, attempt.path), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...plain(appHeaders ?? {}),
      // In small letters as the app's are by now, or a header would be sent twice.
      [wireHeaders.key.toLowerCase()]: formatIdempotencyKey(key),
      [wireHeaders.keyAge.toLowerCase()]: String(Math.max(0, Math.floor(attempt.ageMs / 1000))),
    },
  });
  progress.phase = 'network';
  if (signal.aborted) throw new Error('the attempt was over before it could be sent');
  if (!attempt.mayLeave()) throw new Withheld();
  progress.sent = true;
  const response = await (fetch ?? globalThis.fetch)(address, {
    ...{ method: 'POST', headers: plain(all), body: attempt.body, signal },
    // Followed, it could become a GET, and what that is answered pass for an outcome; and a key is for one server.
    redirect: 'manual',
  });
  progress.phase = 'cut-body';
  const text = await response.text();
  const read = readAnswer(text, transformer, response.headers.get(wireHeaders.status));
  const told = read?.ok === false ? read.facts : undefined;
  // Said of another operation, or of what was asked where a platform has followed all the same.
  const isForeign = (told?.key ?? key) !== key || response.redirected;
  const [answer, facts] = isForeign ? [] : [read, told];
  return {
    kind: 'answer',
    status: response.status,
    retryAfterMs:
      bearable(facts?.retryAfterMs) ??
      // A date is by the server's clock, which the answer tells as well, where a page may see it.
      retryAfterMs(
        response.headers.get(wireHeaders.retryAfter),
        Date.parse(response.headers.get('date') ?? '') || clock.now(),
      ),
    sentOnce: fetch === undefined && isNode,
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

function neverConnected(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as {
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown };
  };
  return NEVER_CONNECTED.test(String((cause ?? { code }).code));
}

/**
 * Whether `fetch` sends once what it is given. Chromium sends a POST a second time by itself when a connection that it had kept ends
 * without an answer, and so do phones: then the answer is to the second, and says nothing of the first.
 */
const isNode = !('document' in globalThis) && typeof globalThis.process?.versions?.node === 'string';
