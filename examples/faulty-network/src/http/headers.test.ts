import { expect, it } from 'vitest';
import { endToEnd, withLength } from './headers.js';

it('what speaks about one connection stays behind, what a Connection header names too', () => {
  const raw = [
    ...['Host', 'shop', 'Connection', 'keep-alive, X-Hop', 'x-hop', '1', 'Keep-Alive', 'timeout=5'],
    ...['Transfer-Encoding', 'chunked', 'Expect', '100-continue', 'Upgrade', 'h2c', 'TE', 'trailers'],
    ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Keep', ''],
  ];
  expect(endToEnd(raw)).toEqual([
    ...['Host', 'shop', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Keep', ''],
  ]);
});

it('a body that came in chunks gets its length, one that said its length keeps it', () => {
  expect(withLength([], Buffer.from('tea'))).toEqual(['Content-Length', '3']);
  expect(withLength(['content-length', '3'], Buffer.from('tea'))).toEqual(['content-length', '3']);
  expect(withLength([], Buffer.alloc(0))).toEqual([]);
});
