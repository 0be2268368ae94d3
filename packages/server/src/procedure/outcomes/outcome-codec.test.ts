import { TRPCError } from '@trpc/server';
import type { DeclaredErrors } from '@trpc-once/contract';
import fc from 'fast-check';
import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DeclaredError } from '../errors/declared-error.js';
import { type OutcomeCodecOptions, outcomeCodec } from './outcome-codec.js';

const errors: DeclaredErrors = {
  SOLD_OUT: { code: 'CONFLICT', data: z.object({ left: z.number() }) },
  CLOSED: { code: 'FORBIDDEN', message: 'closed on Sundays' },
};

const codec = (options: Partial<OutcomeCodecOptions> = {}) =>
  outcomeCodec({ maxLength: 1_000, errors, ...options });
const withSuperjson = codec({ transformer: superjson });

const output = (of: ReturnType<typeof codec>, value: unknown): unknown => {
  const read = of.read(of.completed(value));
  if (!('output' in read)) throw read.error;
  return read.output;
};

const failure = (of: ReturnType<typeof codec>, error: TRPCError): TRPCError => {
  const read = of.read(of.failed(error));
  if ('output' in read) throw new Error('not an error');
  return read.error;
};

describe('an output is read back as every caller gets it', () => {
  test('without a transformer: what JSON can say of it', () => {
    expect(output(codec(), { at: new Date(0), gone: undefined, list: [undefined] })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      list: [null],
    });
  });

  test('with one: as it was', () => {
    const value = {
      at: new Date(0),
      big: 1n,
      gone: undefined,
      map: new Map([['a', new Set([1])]]),
      none: null,
      odd: [Number.NaN, Number.POSITIVE_INFINITY, -0],
    };
    expect(output(withSuperjson, value)).toEqual(value);
  });

  test('undefined, null, an empty text and an empty object are four things', () => {
    for (const of of [codec(), withSuperjson])
      for (const value of [undefined, null, '', {}]) expect(output(of, value)).toStrictEqual(value);
    const bodies = [undefined, null, '', {}].map((value) => codec().completed(value).body);
    expect(new Set(bodies).size).toBe(4);
  });

  test('what is told first and what is replayed are the same bytes on the wire', () => {
    const wire = (value: unknown): string | undefined => JSON.stringify(superjson.serialize(value));
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withBigInt: true, withMap: true, withSet: true, maxDepth: 3 }),
        (value) => {
          let first: unknown;
          try {
            first = output(withSuperjson, value);
          } catch {
            return; // Not replayable, which is told before anything is committed.
          }
          // The first caller gets what was stored, and so does each one after: again and again it must not change.
          const stored = withSuperjson.completed(value);
          for (let n = 0; n < 3; n++) {
            const read = withSuperjson.read(stored);
            expect('output' in read && wire(read.output)).toBe(wire(first));
          }
        },
      ),
    );
  });

  test('a plain output is stored in its own order, to the byte', () => {
    expect(codec().completed({ b: 1, a: [2, { d: 'ü', c: null }] }).body).toBe(
      '{"b":1,"a":[2,{"d":"ü","c":null}]}',
    );
  });
});

describe('an output that cannot be replayed fails before anything is committed, and says why', () => {
  const refused = (value: unknown, of = codec()): TRPCError => {
    try {
      of.completed(value);
    } catch (error) {
      return error as TRPCError;
    }
    return expect.fail('it was taken');
  };

  test('too long: the message names the limit and the way out', () => {
    expect(refused('x'.repeat(999)).message).toBe(
      'nothing was committed: the output is 1001 characters long and at most 1000 are kept (maxOutcomeLength); return a reference to it instead',
    );
    expect(codec().completed('x'.repeat(998)).body).toHaveLength(1_000);
  });

  test.each<[string, unknown]>([
    ['an async generator', (async function* () {})()],
    ['a stream', new ReadableStream()],
    ['a promise inside', { later: Promise.resolve(1) }],
    ['a Blob', new Blob(['a'])],
    ['a response', new Response('a')],
    ['a form', new FormData()],
    ['a stream in a list', [new ReadableStream()]],
    ['a stream far inside', { pages: [{ first: { rows: new ReadableStream() } }] }],
  ])('%s can be read only once', (_, value) => {
    expect(refused(value)).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'nothing was committed: the output is a stream, promise or file, which cannot be replayed',
    });
  });

  test.each<[string, unknown]>([
    ['a BigInt without a transformer', { n: 1n }],
    ['a cycle', ((loop: any) => Object.assign(loop, { loop }))({})],
    [
      'what fails in its toJSON',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
  ])('%s cannot be serialised', (_, value) => {
    const error = refused(value);
    expect(error.message).toBe('nothing was committed: the output cannot be serialised');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('what the transformer writes and cannot read, as superjson a Buffer: in an output and in an error’s data', () => {
    const message = 'nothing was committed: the output cannot be read back by the transformer';
    const file = { file: Buffer.from('a') };
    expect(refused(file, withSuperjson)).toMatchObject({ message, cause: expect.any(Error) });
    expect(() => withSuperjson.failed(new DeclaredError(errors, 'SOLD_OUT', file))).toThrow(message);
  });
});

describe('an error is read back as every caller gets it', () => {
  test.each([
    ['plain', codec()],
    ['superjson', withSuperjson],
  ])('a declared one, with its data: %s', (_, of) => {
    const error = failure(of, new DeclaredError(errors, 'SOLD_OUT', { left: 0 }));
    expect(error).toBeInstanceOf(DeclaredError);
    expect(error).toMatchObject({
      code: 'CONFLICT',
      message: 'SOLD_OUT',
      data: { declared: { name: 'SOLD_OUT', data: { left: 0 } } },
    });
  });

  test('one without data, and one with a message of its own', () => {
    const closed = failure(codec(), new DeclaredError(errors, 'CLOSED', undefined));
    expect(closed).toMatchObject({ code: 'FORBIDDEN', message: 'closed on Sundays' });
    expect((closed as DeclaredError).data.declared.data).toBeUndefined();
    const said = failure(
      codec(),
      new DeclaredError(errors, 'CLOSED', undefined, { message: 'closed today' }),
    );
    expect(said.message).toBe('closed today');
  });

  test('one that the app calls final: code and message, and nothing of its cause', () => {
    const error = failure(
      codec(),
      new TRPCError({ code: 'FORBIDDEN', message: 'the account is frozen', cause: new Error('secret') }),
    );
    expect(error).toMatchObject({ code: 'FORBIDDEN', message: 'the account is frozen' });
    expect(error).not.toBeInstanceOf(DeclaredError);
    expect(error.cause).toBeUndefined();
  });

  test('messages with whatever is in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (message) => {
        const read = failure(codec({ maxLength: 10_000 }), new TRPCError({ code: 'CONFLICT', message }));
        expect(read.message).toBe(message);
      }),
    );
  });

  test('a deploy that gave the error another code: the outcome is what it was', () => {
    const stored = codec().failed(new DeclaredError(errors, 'SOLD_OUT', { left: 0 }));
    const later = codec({ errors: { SOLD_OUT: { code: 'PRECONDITION_FAILED' } } });
    const read = later.read(stored);
    expect(read).toMatchObject({
      error: { code: 'CONFLICT', data: { declared: { name: 'SOLD_OUT', data: { left: 0 } } } },
    });
  });

  test('a deploy that no longer declares it: still the same code and message', () => {
    const stored = codec().failed(new DeclaredError(errors, 'SOLD_OUT', { left: 0 }));
    for (const now of [{}, Object.create({ SOLD_OUT: { code: 'CONFLICT' } })])
      expect(codec({ errors: now }).read(stored)).toMatchObject({
        error: { code: 'CONFLICT', message: 'SOLD_OUT' },
      });
  });

  test('an error of another procedure that declares one of the same name is not taken for one of ours', () => {
    const others: DeclaredErrors = { SOLD_OUT: { code: 'NOT_FOUND' } };
    const read = failure(codec(), new DeclaredError(others, 'SOLD_OUT', { left: 'none' }));
    expect(read).toMatchObject({ code: 'NOT_FOUND', message: 'SOLD_OUT' });
    expect(read).not.toBeInstanceOf(DeclaredError);
  });
});
