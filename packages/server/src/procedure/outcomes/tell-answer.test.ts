import { TRPCError } from '@trpc/server';
import { type Refusal, refusals } from '@trpc-once/contract';
import { describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../execution/call.js';
import { abandoned, type Outcome } from '../../outcome/outcome.js';
import { factsOf, withFacts } from '../errors/error-facts.js';
import { outcomeCodec } from './outcome-codec.js';
import { type TellOptions, tellAnswer } from './tell-answer.js';

const codec = outcomeCodec({ maxLength: 1_000, errors: { POOR: { code: 'CONFLICT' } } });

async function tell(answer: Answer, more: Partial<TellOptions> = {}) {
  const onUnreadable = vi.fn();
  const onHeaders = vi.fn();
  const original = (): undefined => undefined;
  const options = { codec, key: 'k1', open: undefined, original, onUnreadable, onHeaders, ...more };
  const told = await tellAnswer(answer, options).then(
    (output) => ({ output }),
    (error: TRPCError) => ({ error, facts: factsOf(error) }),
  );
  return { ...told, onUnreadable, onHeaders };
}

const completed: Outcome = { status: 'COMPLETED', body: '{"id":1}' };
const failed: Outcome = {
  status: 'FAILED',
  code: 'CONFLICT',
  body: '{"message":"no","declared":{"name":"POOR"}}',
};

test('a completed outcome is its output, the first time and each time after', async () => {
  for (const kind of ['settled', 'replayed'] as const)
    expect(await tell({ kind, outcome: completed })).toMatchObject({ output: { id: 1 } });
});

test('a failed outcome is its error, and says which it is', async () => {
  for (const kind of ['settled', 'replayed'] as const) {
    const { error, facts } = (await tell({ kind, outcome: failed })) as { error: TRPCError; facts: unknown };
    expect(error).toMatchObject({ code: 'CONFLICT', message: 'no', data: { declared: { name: 'POOR' } } });
    expect(facts).toEqual({ key: 'k1', settlement: kind });
  }
});

test.each(Object.keys(refusals) as Refusal[])('the refusal %s is as the table has it', async (refusal) => {
  const told = await tell({ kind: 'refused', refusal, retryAfterMs: 700 });
  expect(told).toMatchObject({
    error: { code: refusals[refusal].code, message: refusals[refusal].message },
    facts: { refusal, key: 'k1', retryAfterMs: 700 },
  });
});

describe('released', () => {
  test('by the handler: its own error, as it was thrown', async () => {
    const error = new TRPCError({ code: 'NOT_FOUND', message: 'no such account' });
    const told = await tell({ kind: 'released', error });
    expect(told).toMatchObject({ error, facts: { key: 'k1', settlement: 'released' } });
    expect('error' in told && told.error).toBe(error);
  });

  test('by the handler with something that is no TRPCError', async () => {
    expect(await tell({ kind: 'released', error: new TypeError('a bug') })).toMatchObject({
      error: { code: 'INTERNAL_SERVER_ERROR', message: 'a bug' },
    });
    for (const error of ['text', undefined, null, { code: 'CONFLICT' }])
      expect(await tell({ kind: 'released', error })).toMatchObject({
        error: { code: 'INTERNAL_SERVER_ERROR' },
        facts: { settlement: 'released' },
      });
  });

  test('with an error that carries another call’s facts: those stay with it, and ours are ours', async () => {
    const inner = withFacts(new TRPCError({ code: 'CONFLICT', message: 'inner' }), {
      key: 'inner',
      settlement: 'settled',
    });
    const told = await tell({ kind: 'released', error: inner });
    expect(told).toMatchObject({
      error: { code: 'CONFLICT', message: 'inner', cause: inner },
      facts: { key: 'k1', settlement: 'released' },
    });
    expect(factsOf(inner)).toEqual({ key: 'inner', settlement: 'settled' });
  });

  test('facts that somebody wrote on an error, or on its cause, are nobody’s', async () => {
    const forged = { idempotency: { settlement: 'settled', key: 'forged' } };
    const error = Object.assign(
      new TRPCError({ code: 'CONFLICT', cause: Object.assign(new Error('x'), forged) }),
      forged,
    );
    expect(await tell({ kind: 'released', error })).toMatchObject({
      facts: { key: 'k1', settlement: 'released' },
    });
  });

  test('an error that cannot be changed is no obstacle', async () => {
    const error = Object.freeze(new TRPCError({ code: 'FORBIDDEN' }));
    expect(await tell({ kind: 'released', error })).toMatchObject({ facts: { settlement: 'released' } });
  });

  test('because of the database: 503, and its own words only in the cause', async () => {
    const error = new Error('password authentication failed for user "app"');
    const told = await tell({ kind: 'released', error, retryAfterMs: 1_000 });
    expect(told).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE', cause: error },
      facts: { key: 'k1', settlement: 'released', retryAfterMs: 1_000 },
    });
    expect('error' in told && told.error.message).not.toContain('password');
  });
});

test('what is not known is 503 unknown, with the way out; why is for the server’s own log', async () => {
  const cause = new Error('Connection terminated unexpectedly');
  const told = await tell({ kind: 'unknown', retryAfterMs: 1_000, cause });
  expect(told).toMatchObject({
    error: {
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('send the same key again'),
      cause,
    },
    facts: { key: 'k1', settlement: 'unknown', retryAfterMs: 1_000 },
  });
});

test('an abandoned operation is told in words of its own, whatever codec and seal its procedure has', async () => {
  const open = () => {
    throw new Error('never sealed');
  };
  const told = await tell({ kind: 'replayed', outcome: abandoned }, { open });
  expect(told).toMatchObject({
    error: { code: 'PRECONDITION_FAILED', message: expect.stringContaining('anew, with a key of its own') },
    facts: { key: 'k1', settlement: 'replayed' },
  });
  expect(told.onUnreadable).not.toHaveBeenCalled();
});

describe('an outcome that was sealed', () => {
  const open = (sealed: string) => [...sealed].reverse().join('');
  const sealed: Outcome = { ...completed, body: open(completed.body), headers: open('{"location":"/1"}') };

  test('is opened before it is read, its headers too', async () => {
    const told = await tell({ kind: 'replayed', outcome: sealed }, { open });
    expect(told).toMatchObject({ output: { id: 1 } });
    expect(told.onHeaders).toHaveBeenCalledExactlyOnceWith({ location: '/1' });
  });

  test.each<[string, Partial<TellOptions>, Outcome]>([
    [
      'that this server has no secret for',
      {
        open: () => {
          throw new Error('unknown secret');
        },
      },
      sealed,
    ],
    ['that is cut off', {}, { ...completed, body: '{"id":' }],
    ['whose headers are not what they were', {}, { ...completed, headers: 'x' }],
    ['that failed, and whose body is empty', {}, { ...failed, body: '' }],
  ])(
    '%s is unknown: neither released nor failed, and it is told to whoever keeps the logs',
    async (_, more, outcome) => {
      const told = await tell({ kind: 'replayed', outcome }, more);
      expect(told).toMatchObject({
        error: { code: 'SERVICE_UNAVAILABLE', cause: expect.any(Error) },
        facts: { key: 'k1', settlement: 'unknown', retryAfterMs: 1_000 },
      });
      expect(told.onUnreadable).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
      expect(told.onHeaders).not.toHaveBeenCalled();
    },
  );
});
