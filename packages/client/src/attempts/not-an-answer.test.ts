import superjson from 'superjson';
import { expect, test } from 'vitest';
import { notAnAnswer } from './not-an-answer.js';

const error = { code: -32009, message: 'secret words', data: { httpStatus: 409 } };
const transformer = /another transformer than this client's: give both sides the same one/;

test.each([
  ['', /empty/],
  ['  \n', /empty/],
  ['<!doctype html><title>secret words</title>', /HTML/],
  ['{"result":{"da', /not whole JSON/],
  ['secret words', /not whole JSON/],
  ['[{"result":{"data":1}}]', /batch/],
  ['{"message":"secret words"}', /not in the form of tRPC/],
  ['{"error":"secret words"}', /not in the form of tRPC/],
  ['null', /not in the form of tRPC/],
  ['7', /not in the form of tRPC/],
  [JSON.stringify({ error }), transformer],
  [JSON.stringify({ error: superjson.serialize(error) }), transformer],
  [JSON.stringify({ result: { data: { orderId: 'secret words' } } }), transformer],
])('%s is told for what it is, and nothing of what it says', (text, told) => {
  expect(notAnAnswer(502, text)).toMatch(told);
  expect(notAnAnswer(502, text)).toMatch(/^HTTP 502 /);
  expect(notAnAnswer(502, text)).not.toContain('secret');
});

test.each([0, 301, 302, 303, 307, 308])(
  'a redirect (%j) is told for one, and what to do about it',
  (status) => {
    expect(notAnAnswer(status, '<html>secret words')).toMatch(
      /^a redirect, which is not followed: give the client the address/,
    );
  },
);
