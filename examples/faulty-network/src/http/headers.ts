/** Headers that speak about one connection, not about the message: RFC 9110, section 7.6.1. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Answered by the server that reads the body, which is this proxy.
  'expect',
]);

/** Name and value in turn, as `rawHeaders` has them: case, order and repetition are kept. */
export type RawHeaders = readonly string[];

/** What of a message's headers goes on to the other side. */
export function endToEnd(raw: RawHeaders): string[] {
  const named = new Set(
    pairs(raw)
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase())),
  );
  return pairs(raw)
    .filter(([name]) => !connectionHeaders.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
    .flat();
}

/** Says the length of a body whose chunked framing was taken off, unless the headers do so already. */
export function withLength(raw: RawHeaders, body: Buffer): RawHeaders {
  const known = pairs(raw).some(([name]) => name.toLowerCase() === 'content-length');
  return known || body.length === 0 ? raw : [...raw, 'Content-Length', String(body.length)];
}

function pairs(raw: RawHeaders): [name: string, value: string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));
}
