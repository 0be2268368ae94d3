import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
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

describe('of what a validator refused, the places and codes are said and nothing of what was sent', () => {
  const secret = 'hunter2 4111';
  const sent = {
    card: secret,
    lines: [{ n: secret }],
    by: { [secret]: 1, 'ann@example.com': 1 },
    kind: secret,
  };
  const thrown = (parse: () => unknown): unknown => {
    try {
      parse();
    } catch (error) {
      return error;
    }
    return expect.fail('it was taken');
  };
  const refusals: Record<string, [refused: () => unknown, line: string]> = {
    'zod 4': [
      () =>
        z
          .object({
            card: z.number({ error: ({ input }) => `not ${input}` }),
            lines: z.array(z.object({ n: z.int() })),
            by: z.record(z.string(), z.string()),
            kind: z.enum(['a']),
          })
          .parse(sent),
      'ZodError: card (invalid_type), lines.0.n (invalid_type), by.* (invalid_type), by.* (invalid_type), kind (invalid_value)',
    ],
    'zod 3': [
      () => z3.object({ card: z3.number(), kind: z3.enum(['a']) }).parse(sent),
      'ZodError: card (invalid_type), kind (invalid_enum_value)',
    ],
    valibot: [
      () => {
        const message = `Invalid type: Expected number but received "${secret}"`;
        const of = (...keys: (string | number)[]) => ({
          kind: 'schema',
          type: 'number',
          input: secret,
          received: secret,
          message,
          path: keys.map((key) => ({ type: 'object', input: sent, key, value: secret })),
        });
        const issues = [of('card'), of('lines', 0, 'n'), of('by', secret)];
        throw Object.assign(new Error(message), { name: 'ValiError', issues });
      },
      'ValiError: card (number), lines.0.n (number), by.* (number)',
    ],
    'Standard Schema, which has no codes': [
      () => {
        const message = `${secret} is no card`;
        const issues = [
          { message, path: ['card', Symbol(secret)] },
          { message, path: [{ key: 'kind' }] },
          { message },
        ];
        throw Object.assign(new Error(message), { issues });
      },
      'card.*, kind, itself',
    ],
    'at the top, and many': [
      () => z.array(z.string()).parse(Array.from({ length: 9 }, () => 4111)),
      'ZodError: 0 (invalid_type), 1 (invalid_type), 2 (invalid_type), 3 (invalid_type), 4 (invalid_type), and 4 more',
    ],
    'the whole of it': [() => z.number().parse(secret), 'ZodError: itself (invalid_type)'],
  };

  test.each(Object.entries(refusals))('%s', (_, [refused, line]) => {
    const error = thrown(refused);
    expect(inBrief(error)).toBe(line);
    const wrapped = new TRPCError({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Output validation failed',
      cause: error,
    });
    for (const text of [withFrames(error), withFrames(wrapped)]) {
      expect(text).toContain(line);
      for (const quoted of [secret, '4111', 'ann@example.com']) expect(text).not.toContain(quoted);
    }
  });
});
