import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DeclaredError } from '../errors/declared-error.js';
import { outcomeCodec } from './outcome-codec.js';
import { type RanOptions, ranFromResult } from './ran-from-result.js';
import { allowedHeaders, HeaderCollector } from './replayed-headers.js';

const errors = { POOR: { code: 'CONFLICT', data: z.object({ cents: z.number() }) } } as const;
const others = { POOR: { code: 'CONFLICT' } } as const;

const ran = (result: Parameters<typeof ranFromResult>[0], more: Partial<RanOptions> = {}) =>
  ranFromResult(result, {
    codec: outcomeCodec({ maxLength: 100, errors }),
    errors,
    isFinal: () => false,
    headers: new HeaderCollector(allowedHeaders(['location'])),
    seal: undefined,
    ...more,
  });

const fails = (error: TRPCError) => ({ ok: false, error }) as const;

test('an output is a completed outcome', async () => {
  expect(await ran({ ok: true, data: { id: 1 } })).toEqual({
    kind: 'outcome',
    outcome: { status: 'COMPLETED', body: '{"id":1}' },
  });
});

test('a declared error is a failed one', async () => {
  expect(await ran(fails(new DeclaredError(errors, 'POOR', { cents: 1 })))).toEqual({
    kind: 'outcome',
    outcome: {
      status: 'FAILED',
      code: 'CONFLICT',
      body: '{"message":"POOR","declared":{"name":"POOR","data":{"cents":1}}}',
    },
  });
});

test('so is one that the app calls final', async () => {
  const error = new TRPCError({ code: 'FORBIDDEN', message: 'frozen' });
  expect(await ran(fails(error), { isFinal: (asked) => asked === error })).toMatchObject({
    outcome: { status: 'FAILED', code: 'FORBIDDEN' },
  });
});

describe('everything else settles nothing', () => {
  test('any other error', async () => {
    const error = new TRPCError({ code: 'CONFLICT' });
    expect(await ran(fails(error))).toEqual({ kind: 'error', error });
  });

  test('an error that a judge gone async promises to tell about', async () => {
    const error = new TRPCError({ code: 'CONFLICT' });
    const isFinal = (async () => true) as never;
    expect(await ran(fails(error), { isFinal })).toEqual({ kind: 'error', error });
  });

  const inner = (facts: object): TRPCError =>
    Object.assign(new TRPCError({ code: 'CONFLICT' }), { idempotency: facts });

  test.each<[string, TRPCError]>([
    ['let through', inner({ refusal: 'IN_PROGRESS' })],
    ['that is released', inner({ settlement: 'released' })],
    ['that is unknown', inner({ settlement: 'unknown' })],
    ['wrapped', new TRPCError({ code: 'CONFLICT', cause: inner({ refusal: 'IN_PROGRESS' }) })],
    [
      'of another server, wrapped',
      new TRPCError({
        code: 'CONFLICT',
        cause: Object.assign(new Error(), { data: { idempotency: { refusal: 'STORE_UNAVAILABLE' } } }),
      }),
    ],
  ])('the answer of a call that its handler made, where that is no outcome: %s', async (_, error) => {
    expect(await ran(fails(error), { isFinal: () => true })).toEqual({ kind: 'error', error });
  });

  test('but where it is an outcome, that is one here too', async () => {
    const error = inner({ settlement: 'replayed' });
    expect(await ran(fails(error), { isFinal: () => true })).toMatchObject({ kind: 'outcome' });
  });

  test('an error that another procedure declares, though under the same name', async () => {
    const error = new DeclaredError(others, 'POOR', undefined);
    expect(await ran(fails(error))).toEqual({ kind: 'error', error });
  });

  test.each<[string, Parameters<typeof ranFromResult>[0], Partial<RanOptions>, string | RegExp]>([
    ['an output that is too long', { ok: true, data: 'x'.repeat(200) }, {}, /maxOutcomeLength/],
    [
      'data that the contract does not allow',
      fails(new DeclaredError(errors, 'POOR', { cents: 'x' })),
      {},
      /not allow/,
    ],
    [
      'a judge of final errors that fails itself',
      fails(new TRPCError({ code: 'FORBIDDEN' })),
      {
        isFinal: () => {
          throw new Error('no idea');
        },
      },
      'no idea',
    ],
    [
      'a seal that fails',
      { ok: true, data: 1 },
      { seal: () => Promise.reject(new Error('no secret')) },
      'no secret',
    ],
  ])('%s', async (_, result, more, message) => {
    const end = await ran(result, more);
    expect(end).toMatchObject({ kind: 'error', error: { message: expect.stringMatching(message) } });
  });
});

test('headers that the handler set belong to the outcome, whichever it is, and are sealed with it', async () => {
  const headers = new HeaderCollector(allowedHeaders(['location']));
  headers.set('location', '/orders/1');
  const seal = (text: string) => `sealed ${text}`;
  for (const result of [
    { ok: true, data: 1 } as const,
    fails(new DeclaredError(errors, 'POOR', { cents: 1 })),
  ])
    expect(await ran(result, { headers, seal })).toMatchObject({
      outcome: { headers: 'sealed {"location":"/orders/1"}', body: expect.stringMatching(/^sealed /) },
    });
});
