import superjson from 'superjson';
import { expect, test } from 'vitest';
import { readAnswer } from './answer.js';
import { wireTransformer } from './transformer.js';

const plain = wireTransformer(undefined);

test('a result is read, and an output of undefined is one', () => {
  expect(readAnswer('{"result":{"data":{"orderId":"o1"}}}', plain)).toEqual({
    ok: true,
    data: { orderId: 'o1' },
  });
  expect(readAnswer('{"result":{"data":null}}', plain)).toEqual({ ok: true, data: null });
  expect(readAnswer('{"result":{}}', plain)).toEqual({ ok: true, data: undefined });
});

test('an error is read with what it says of the operation', () => {
  const error = {
    code: -32009,
    message: 'any',
    data: { code: 'CONFLICT', httpStatus: 409, idempotency: { refusal: 'IN_PROGRESS', retryAfterMs: 700 } },
  };
  expect(readAnswer(JSON.stringify({ error }), plain)).toEqual({
    ok: false,
    shape: error,
    facts: { refusal: 'IN_PROGRESS', retryAfterMs: 700 },
  });
});

test('results and errors are read through the transformer', () => {
  const at = new Date(0);
  const wire = wireTransformer(superjson);
  const result = JSON.stringify({ result: { data: superjson.serialize({ at, n: 1n }) } });
  expect(readAnswer(result, wire)).toEqual({ ok: true, data: { at, n: 1n } });
  const nothing = JSON.stringify({ result: { data: superjson.serialize(undefined) } });
  expect(readAnswer(nothing, wire)).toEqual({ ok: true, data: undefined });
  const error = { code: -32603, message: 'm', data: { idempotency: { settlement: 'released' } } };
  expect(readAnswer(JSON.stringify({ error: superjson.serialize(error) }), wire)).toMatchObject({
    ok: false,
    facts: { settlement: 'released' },
  });
});

test.each([
  ['', 'nothing'],
  ['<html>502 Bad Gateway</html>', 'HTML'],
  ['{"result":{"da', 'JSON cut short'],
  ['null', 'null'],
  ['"ok"', 'a string'],
  ['[{"result":{"data":1}}]', 'a batch'],
  ['{"status":"ok"}', 'foreign JSON'],
  ['{"result":"ok"}', "another protocol's result"],
  ['{"result":{"status":"blocked","data":1}}', "another protocol's result with data"],
  ['{"result":[1]}', 'a list for a result'],
  ['{"jsonrpc":"2.0","id":1,"result":{}}', 'JSON-RPC'],
  ['{"result":{},"success":true}', "somebody's own envelope"],
  ['{"error":"rate limited"}', 'an error that is a string'],
  ['{"error":{"message":"rate limited"}}', 'an error without a code'],
  ['{"error":{"code":"E1","message":"m"}}', 'an error whose code is a word'],
  ['{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED"}}', "Google's form of an error"],
  ['{"error":{"code":403,"message":"m","data":{}}}', "an error that is not under one of tRPC's codes"],
  ['{"error":{"code":-32601,"message":"m"}}', 'an error without data'],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m","data":{}}}', "JSON-RPC's error"],
])('%s is not an answer: %s', (text) => {
  expect(readAnswer(text, plain)).toBeUndefined();
});

test('an output that another transformer wrote is not taken for an output of undefined', () => {
  const wire = wireTransformer(superjson);
  for (const data of [{ orderId: 'o1' }, 'o1', 7, null, [], {}])
    expect(readAnswer(JSON.stringify({ result: { data } }), wire)).toBeUndefined();
  // What an older superjson writes for undefined, and a newer one may.
  for (const more of [{}, { v: 1 }, { v: 2, other: true }]) {
    const data = { json: null, meta: { values: ['undefined'], ...more } };
    expect(readAnswer(JSON.stringify({ result: { data } }), wire)).toEqual({ ok: true, data: undefined });
  }
  const text = wireTransformer({ serialize: () => '-1', deserialize: () => undefined });
  expect(readAnswer('{"result":{"data":"-1"}}', text)).toEqual({ ok: true, data: undefined });
  expect(readAnswer('{"result":{"data":{"a":1}}}', text)).toBeUndefined();
});

test('what the transformer cannot decode is not an answer', () => {
  const wire = wireTransformer({
    serialize: (value: unknown) => value,
    deserialize: () => {
      throw new Error('corrupt');
    },
  });
  expect(readAnswer('{"result":{"data":1}}', wire)).toBeUndefined();
  expect(readAnswer('{"error":{"code":1,"message":"m"}}', wire)).toBeUndefined();
});
