import { describe, expect, test } from 'vitest';
import { readRequest } from './read-request.js';

const key = 'f3a1';
const ok = { ok: true, key };
const malformed = { ok: false, refusal: 'KEY_MALFORMED' };
const missing = { ok: false, refusal: 'KEY_MISSING' };

type Values = Record<string, string | string[]>;

/** One request's headers as each adapter hands them over. */
const adapters: [string, (headers: Values) => object][] = [
  ['Node (standalone, express, fastify)', (headers) => ({ req: { headers: joined(lower(headers)) } })],
  [
    'fetch (Next, Hono, workers)',
    (headers) => {
      const all = new Headers();
      for (const [name, value] of Object.entries(headers))
        for (const each of [value].flat()) all.append(name, each);
      return { req: { headers: all } };
    },
  ],
  [
    'Lambda behind a REST API (payload 1.0)',
    (headers) => ({
      event: {
        // Of a header sent twice, this has the last one only.
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value].flat().at(-1)]),
        ),
        multiValueHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value].flat()]),
        ),
      },
    }),
  ],
  [
    'Lambda behind a load balancer without multi-value headers',
    (headers) => ({ event: { headers: joined(lower(headers)), multiValueHeaders: null } }),
  ],
  ['Lambda behind an HTTP API (payload 2.0)', (headers) => ({ event: { headers: joined(lower(headers)) } })],
];

function lower(headers: Values): Values {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function joined(headers: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

describe.each(adapters)('%s', (_, request) => {
  const read = (headers: Values) => readRequest(request(headers));

  test('a key is read, quoted or bare, however its header is written', () => {
    for (const name of ['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY'])
      for (const value of [key, `"${key}"`, `  ${key} `]) expect(read({ [name]: value }).key).toEqual(ok);
  });

  test('a key that is sent twice is refused, though it is the same one', () => {
    expect(read({ 'Idempotency-Key': [key, key] }).key).toEqual(malformed);
    expect(read({ 'Idempotency-Key': [key, 'other'] }).key).toEqual(malformed);
  });

  test('none, and an empty one', () => {
    expect(read({}).key).toEqual(missing);
    expect(read({ 'Idempotency-Key': '' }).key).toEqual(malformed);
  });

  test('an age is whole seconds, and without one nothing is known', () => {
    expect(read({ 'Idempotency-Key': key }).ageMs).toBeUndefined();
    expect(read({ 'Idempotency-Key': key, 'Idempotency-Key-Age': '0' }).ageMs).toBe(0);
    expect(read({ 'Idempotency-Key': key, 'idempotency-key-age': ' 90 ' }).ageMs).toBe(90_000);
  });

  test.each(['-1', '1.5', '1e3', 'soon', '', '0x10', '12345678901', '1 2'])(
    'an age that is no number of seconds is refused, for it would be no protection: %j',
    (age) => {
      expect(read({ 'Idempotency-Key': key, 'Idempotency-Key-Age': age })).toMatchObject({
        key: malformed,
        ageMs: undefined,
      });
    },
  );

  test('an age that is sent twice is refused', () => {
    const twice = { 'Idempotency-Key': key, 'Idempotency-Key-Age': ['5', '6'] };
    expect(read(twice).key).toEqual(malformed);
  });

  test('a missing key stays missing, whatever the age says', () => {
    expect(read({ 'Idempotency-Key-Age': 'soon' }).key).toEqual(missing);
  });

  test('whatever a WebSocket carries shares its headers, so a key there belongs to no call', () => {
    const { calls } = read({ Upgrade: 'WebSocket', 'Idempotency-Key': key });
    expect(calls).toBeGreaterThan(1);
    expect(read({ Upgrade: 'h2c', 'Idempotency-Key': key }).calls).toBe(1);
  });
});

test.each([
  ['Node, without length or transfer coding', { req: { headers: {}, httpVersionMajor: 1 } }, true],
  ['Node, with a length', { req: { headers: { 'content-length': '5' }, httpVersionMajor: 1 } }, false],
  ['Node, with the length 0', { req: { headers: { 'content-length': '0' }, httpVersionMajor: 1 } }, true],
  ['Node, in chunks', { req: { headers: { 'transfer-encoding': 'chunked' }, httpVersionMajor: 1 } }, false],
  ['HTTP/2, which needs no length', { req: { headers: {}, httpVersionMajor: 2 } }, false],
  ['fetch, without one', { req: new Request('http://shop.example', { method: 'POST' }) }, true],
  ['fetch, with one', { req: new Request('http://shop.example', { method: 'POST', body: '1' }) }, false],
  ['fastify, which says too little', { req: { headers: {} } }, false],
  ['Lambda, without one', { event: { headers: {}, body: null } }, true],
  ['Lambda, with one', { event: { headers: {}, body: '1' } }, false],
])('a request is bodiless only where that is certain: %s', (_, request, bodiless) => {
  expect(readRequest(request).bodiless).toBe(bodiless);
});

test('the calls of a batch are counted', () => {
  const req = { headers: { 'idempotency-key': key } };
  expect(readRequest({ req, info: { calls: [{}, {}, {}] } }).calls).toBe(3);
  expect(readRequest({ req, info: { calls: [{}] } }).calls).toBe(1);
  expect(readRequest({ req, info: {} }).calls).toBe(1);
});

test('one header in two spellings, as a proxy that tells case apart passes them on, is sent twice', () => {
  const headers = { 'idempotency-key': key, 'Idempotency-Key': 'other' };
  expect(readRequest({ req: { headers } }).key).toEqual(malformed);
  const multiValueHeaders = { 'idempotency-key': [key], 'Idempotency-Key': ['other'] };
  expect(readRequest({ event: { headers: {}, multiValueHeaders } }).key).toEqual(malformed);
});

test('a request without headers has no key', () => {
  for (const options of [{}, { req: {} }, { event: {} }, { req: undefined }, { event: { headers: null } }])
    expect(readRequest(options).key).toEqual(missing);
});
