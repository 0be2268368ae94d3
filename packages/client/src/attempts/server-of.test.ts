import { expect, test, vi } from 'vitest';
import { serverOf } from './server-of.js';

test.each([
  ['https://shop.example/trpc', 'https://shop.example/trpc'],
  ['https://shop.example/trpc/', 'https://shop.example/trpc'],
  ['HTTPS://Shop.Example:443/trpc?tenant=a/b', 'https://shop.example/trpc'],
  ['https://shop.example/trpc/?token=secret', 'https://shop.example/trpc'],
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/#', 'https://shop.example'],
  ['https://ann:secret@shop.example/trpc', 'https://shop.example/trpc'],
])('%s is the server %s', (url, server) => {
  expect(serverOf(url)).toBe(server);
});

test('another path, port, host or scheme is another server', () => {
  const urls = [
    'https://a.example/v1',
    'https://a.example/v2',
    'https://a.example:8443/v1',
    'https://b.example/v1',
    'http://a.example/v1',
  ];
  expect(new Set(urls.map(serverOf)).size).toBe(urls.length);
});

test("a relative url is the page's, read as the request itself is", () => {
  class PageRequest extends Request {
    constructor(url: string) {
      super(new URL(url, 'https://shop.example/cart/1'));
    }
  }
  vi.stubGlobal('Request', PageRequest);
  try {
    expect(serverOf('/trpc?x=1')).toBe('https://shop.example/trpc');
  } finally {
    vi.unstubAllGlobals();
  }
  expect(serverOf('/trpc/')).toBe('/trpc');
});
