import { parseIdempotencyKey, whyMalformedKey, wireHeaders } from '@trpc-once/contract';
import type { WireContext } from './wire-context.js';

type Headers_ = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** What the adapters hand to `createContext`: a request or a Lambda event, and tRPC's own account of the calls. */
interface AdapterOptions {
  readonly req?: {
    readonly headers?: Headers_;
    /** Of a `Request`: null where there is none. */
    readonly body?: unknown;
    readonly httpVersionMajor?: number;
  };
  readonly event?: {
    readonly headers?: Headers_;
    readonly body?: unknown;
    readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null;
  };
  readonly info?: { readonly calls?: readonly AdapterCall[] };
}

interface AdapterCall {
  readonly procedure?: { readonly _def?: { readonly middlewares?: readonly unknown[] } } | null;
}

/**
 * Reads the operation's key and age from any adapter's request: standalone, express, fastify, fetch (Next, Hono,
 * workers) and aws-lambda.
 */
export function readRequest(options: object): WireContext {
  const { req, event, info } = options as AdapterOptions;
  const sources = [event?.multiValueHeaders, event?.headers, req?.headers];
  const read = (name: string): string | undefined => {
    for (const source of sources) {
      const value = source ? header(source, name) : undefined;
      if (value !== undefined) return value;
    }
    return undefined;
  };
  // A socket's headers were sent once, for whatever it carries afterwards: a key there is shared by all of it.
  const isSocket = read('upgrade')?.toLowerCase() === 'websocket';
  const calls = info?.calls ?? [];
  const middlewares = calls.length === 1 ? calls[0]?.procedure?._def?.middlewares : undefined;
  return {
    ...keyAndAge(read(wireHeaders.key), read(wireHeaders.keyAge)),
    calls: isSocket ? Number.POSITIVE_INFINITY : calls.length || 1,
    bodiless: hasNoBody(options, read),
    socket: isSocket,
    byAdapter: info !== undefined && !isSocket,
    ...(middlewares && { middlewares }),
  };
}

/** In doubt it has one. RFC 9112, section 6.3: a request without length or transfer coding has no body; HTTP/2 needs neither. */
function hasNoBody({ req, event }: AdapterOptions, read: (name: string) => string | undefined): boolean {
  if (event) return !event.body;
  if (req?.body === null) return true;
  const length = read('content-length');
  if (length !== undefined) return length.trim() === '0';
  return req?.httpVersionMajor === 1 && read('transfer-encoding') === undefined;
}

function keyAndAge(
  keyHeader: string | undefined,
  ageHeader: string | undefined,
): Pick<WireContext, 'key' | 'ageMs' | 'why'> {
  const key = parseIdempotencyKey(keyHeader);
  const age = readAge(ageHeader);
  if (!key.ok) {
    const why = key.refusal === 'KEY_MALFORMED' && whyMalformedKey(keyHeader ?? '');
    return { key, ageMs: age === 'malformed' ? undefined : age, ...(why && { why }) };
  }
  if (age !== 'malformed') return { key, ageMs: age };
  const why = `${wireHeaders.keyAge} is no number of whole seconds`;
  return { key: { ok: false, refusal: 'KEY_MALFORMED' }, ageMs: undefined, why };
}

function readAge(value: string | undefined): number | 'malformed' | undefined {
  if (value === undefined) return undefined;
  return /^\d{1,10}$/.test(value.trim()) ? Number(value) * 1_000 : 'malformed';
}

/**
 * A header sent twice reads as one with a comma, as HTTP has it; no key holds a comma, so it is refused. So is one that
 * came in two spellings: a gateway that tells case apart hands over both.
 */
function header(headers: Headers_, name: string): string | undefined {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? undefined;
  const found = Object.entries(headers as Record<string, string | string[] | undefined>)
    .filter(([candidate, value]) => candidate.toLowerCase() === name.toLowerCase() && value !== undefined)
    .map(([, value]) => String(value));
  return found.length > 0 ? found.join(', ') : undefined;
}
