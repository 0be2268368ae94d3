import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { inBrief, withFrames } from './in-brief.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

test.each([
  [refused, '[ECONNREFUSED]: connect ECONNREFUSED 127.0.0.1:5432'],
  [new RangeError('too much'), 'RangeError: too much'],
  [new Error('plain'), 'plain'],
  [new Error(''), 'an error without a message'],
  [new AggregateError([refused]), 'AggregateError: connect ECONNREFUSED 127.0.0.1:5432'],
  ['text', 'a thrown string'],
  [undefined, 'a thrown undefined'],
  [null, 'a thrown null'],
  [new Error('x'.repeat(400)), `${'x'.repeat(300)}…`],
])('%s in one line', (error, line) => {
  expect(inBrief(error)).toBe(line);
});

test('what libraries put beside and below the first line of a message stays out: it is what somebody sent', () => {
  const query = new Error('Failed query: insert into cards values ($1)\nparams: 4111111111111111');
  const unique = Object.assign(
    new Error('duplicate key value violates unique constraint "users_email_key"'),
    {
      code: '23505',
      detail: 'Key (email)=(ann@example.com) already exists.',
      parameters: ['hunter2'],
    },
  );
  query.cause = unique;
  const text = withFrames(query);
  expect(text).toContain('Failed query: insert into cards');
  expect(text).toContain('caused by [23505]: duplicate key');
  expect(text).toMatch(/ at .*in-brief\.test\.ts:\d+/);
  for (const secret of ['4111', 'ann@example.com', 'hunter2']) expect(text).not.toContain(secret);
});

test('the error that tRPC wrapped is shown, and not tRPC’s around it', () => {
  const bug = new TypeError("Cannot read properties of undefined (reading 'id')");
  const wrapped = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: bug.message, cause: bug });
  expect(withFrames(wrapped)).toMatch(/^TypeError: Cannot read properties of undefined/);
  expect(withFrames(wrapped)).not.toContain('caused by');
});

test('causes that go round in a circle end', () => {
  const error = new Error('one');
  error.cause = error;
  expect(withFrames(error).match(/one/g)?.length).toBeLessThan(10);
});
