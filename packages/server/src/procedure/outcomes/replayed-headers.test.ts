import { describe, expect, test } from 'vitest';
import { allowedHeaders, defaultReplayedHeaders, HeaderCollector } from './replayed-headers.js';

const collector = () => new HeaderCollector(allowedHeaders(defaultReplayedHeaders));

test('what is on the list is kept, in whatever case it is written, the last word winning', () => {
  const headers = collector();
  headers.set('Location', '/orders/1');
  headers.set('LOCATION', '/orders/2');
  headers.set('link', '</orders>; rel="collection"');
  expect(JSON.parse(headers.encoded() ?? '')).toEqual({
    location: '/orders/2',
    link: '</orders>; rel="collection"',
  });
});

test('none set, none stored', () => {
  expect(collector().encoded()).toBeUndefined();
});

test('what is not on the list is refused, and the message says where to name it', () => {
  expect(() => collector().set('X-Trace', '1')).toThrow("createOnce({ replayedHeaders: ['X-Trace'] })");
});

test.each(['a\nb', 'a\r\nset-cookie: x=1', 'a\u0000', '語'])(
  'a value that no header can carry is refused: %j',
  (value) => {
    expect(() => collector().set('location', value)).toThrow(TypeError);
  },
);

describe('a header that carries a credential can never be on the list', () => {
  test.each([
    'Set-Cookie',
    'set-cookie',
    'SET-COOKIE2',
    'Authorization',
    'WWW-Authenticate',
    'Cookie',
    'Proxy-Authorization',
    'Proxy-Authenticate',
  ])('%s', (name) => {
    expect(() => allowedHeaders(['location', name])).toThrow(TypeError);
    expect(() => new HeaderCollector(allowedHeaders([])).set(name, 'x')).toThrow(TypeError);
  });
});

describe('a header that belongs to one message, or says what became of the operation, cannot be on it either', () => {
  test.each([
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Content-Type',
    'Content-Encoding',
    'Idempotency-Status',
    'Idempotency-Replayed',
    'Retry-After',
  ])('%s', (name) => {
    expect(() => allowedHeaders([name])).toThrow(TypeError);
  });
});

test('a name that no header can have is refused when the list is read, not when a handler has run', () => {
  for (const name of ['', 'a b', 'ü', 'a:b']) expect(() => allowedHeaders([name])).toThrow(TypeError);
});
