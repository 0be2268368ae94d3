import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { procedure } from './builder.js';
import type { ErrorsOf, InputOf, IsIdempotent, OutputOf, ParsedInputOf, RawOutputOf } from './definition.js';

const text = z.object({ sku: z.string() });

describe('an idempotent procedure', () => {
  test('ends as a mutation, and as nothing else', () => {
    const idempotent = procedure.input(text).idempotent();
    expectTypeOf(idempotent).toHaveProperty('mutation');
    // @ts-expect-error there is no effect of a query to protect
    idempotent.query();
    // @ts-expect-error a stream is not replayed
    idempotent.subscription();
    // @ts-expect-error what it takes is said before, since it decides whether it can be idempotent
    idempotent.input(text);
    // @ts-expect-error what it gives too
    idempotent.output(text);
    // @ts-expect-error a builder is not a procedure
    const unfinished: typeof finished = idempotent;
    const finished = idempotent.mutation();
    expectTypeOf<IsIdempotent<typeof finished>>().toEqualTypeOf<true>();
    return unfinished;
  });

  test('takes the options that there are, and no others', () => {
    procedure.idempotent();
    procedure.idempotent({});
    procedure.idempotent({ retentionMs: 1, leaseMs: 1, retry: { maxAttempts: 1 } });
    // @ts-expect-error durations are numbers
    procedure.idempotent({ leaseMs: '30s' });
    // @ts-expect-error it is called retentionMs
    procedure.idempotent({ ttlMs: 1 });
    // @ts-expect-error it is called maxAttempts, and counts the first
    procedure.idempotent({ retry: { retries: 3 } });
  });

  test('takes no input that can be read only once', () => {
    // @ts-expect-error a file
    procedure.input(z.file()).idempotent();
    // @ts-expect-error a file that may be left out
    procedure.input(z.file().optional()).idempotent();
    // @ts-expect-error a file in an object
    procedure.input(z.object({ scan: z.file() })).idempotent();
    // @ts-expect-error a file that may be left out, in an object in a list
    procedure.input(z.array(z.object({ scan: z.file().optional() }))).idempotent();
    // @ts-expect-error a file or a text
    procedure.input(z.union([z.file(), z.string()])).idempotent();
    // @ts-expect-error a list of files or texts
    procedure.input(z.array(z.union([z.file(), z.string()]))).idempotent();
    // @ts-expect-error a file in a map
    procedure.input(z.map(z.string(), z.file())).idempotent();
    // @ts-expect-error a file in a set
    procedure.input(z.set(z.file())).idempotent();
    // @ts-expect-error a file in a record
    procedure.input(z.record(z.string(), z.file())).idempotent();
    // @ts-expect-error a file in a tuple
    procedure.input(z.tuple([z.string(), z.file()])).idempotent();
    // @ts-expect-error a file that is a size after it was parsed: what is sent again is the file
    procedure.input(z.file().transform((file) => file.size)).idempotent();
    // @ts-expect-error a form
    procedure.input(z.instanceof(FormData)).idempotent();
    // @ts-expect-error a blob
    procedure.input(z.instanceof(Blob)).idempotent();
    // @ts-expect-error a stream
    procedure.input(z.instanceof(ReadableStream)).idempotent();
    // @ts-expect-error a promise
    procedure.input(z.promise(z.string())).idempotent();
    // @ts-expect-error zod 3
    procedure.input(z3.object({ scan: z3.instanceof(File) })).idempotent();
    // @ts-expect-error valibot
    procedure.input(v.object({ scan: v.file() })).idempotent();
    // @ts-expect-error arktype
    procedure.input(type({ scan: type.instanceOf(File) })).idempotent();
    // @ts-expect-error options do not help
    procedure.input(z.file()).idempotent({ leaseMs: 5_000 });
  });

  test('gives no output that can be read only once', () => {
    // @ts-expect-error a stream
    procedure.output(z.instanceof(ReadableStream)).idempotent();
    // @ts-expect-error an async iterable
    procedure.output(z.custom<AsyncIterable<string>>()).idempotent();
    // @ts-expect-error an async generator in an object
    procedure.output(z.object({ lines: z.custom<AsyncGenerator<string>>() })).idempotent();
    // @ts-expect-error a promise: tRPC streams it
    procedure.output(z.object({ later: z.promise(z.string()) })).idempotent();
    // @ts-expect-error a promise or nothing
    procedure.output(z.custom<Promise<string> | undefined>()).idempotent();
    // @ts-expect-error a blob
    procedure.output(z.instanceof(Blob)).idempotent();
  });

  test('takes and gives all else', () => {
    const rich = z.object({
      at: z.date(),
      n: z.bigint(),
      tags: z.set(z.string()),
      by: z.map(z.string(), z.date()),
      nested: z.array(z.object({ maybe: z.string().nullish() })),
      pair: z.tuple([z.string(), z.number()]),
      either: z.union([z.string(), z.object({ a: z.number() })]),
      anything: z.any(),
      whatever: z.unknown(),
    });
    procedure.input(rich).output(rich).idempotent().mutation();
    procedure.input(z.void()).output(z.void()).idempotent().mutation();
    procedure.input(z.undefined()).output(z.null()).idempotent().mutation();
    procedure.input(z.unknown()).output(z.any()).idempotent().mutation();
    procedure.input(z.string()).idempotent().mutation();
  });

  test('may refer to itself in what it takes', () => {
    interface Node {
      name: string;
      children: Node[];
    }
    procedure.input(z.custom<Node>()).output(z.custom<Node>()).idempotent().mutation();
  });
});

test('a procedure without a key may take and give anything', () => {
  procedure.input(z.file()).output(z.instanceof(ReadableStream)).mutation();
  procedure.input(z.instanceof(FormData)).query();
});

test('only a validator is an input or an output', () => {
  // @ts-expect-error a plain object is none
  procedure.input({ sku: 'string' });
  // @ts-expect-error nor is a function
  procedure.output((value: unknown) => value);
});

test('a declared error has a code of tRPC and a validator for its data', () => {
  procedure.errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: text, message: 'gone' } });
  // @ts-expect-error it travels under a code
  procedure.errors({ OUT_OF_STOCK: {} });
  // @ts-expect-error tRPC has no such code
  procedure.errors({ OUT_OF_STOCK: { code: 'OUT_OF_STOCK' } });
  // @ts-expect-error a number is no code
  procedure.errors({ OUT_OF_STOCK: { code: 409 } });
  // @ts-expect-error data is validated
  procedure.errors({ OUT_OF_STOCK: { code: 'CONFLICT', data: { sku: 'tea' } } });
});

test('declared errors are one map, as they were written, however many times it was added to', () => {
  const first = procedure.errors({ CLOSED: { code: 'FORBIDDEN' } });
  const both = first
    .errors({ SOLD_OUT: { code: 'CONFLICT', message: 'gone' } })
    .idempotent()
    .mutation();
  expectTypeOf<ErrorsOf<typeof both>>().toEqualTypeOf<{
    readonly CLOSED: { readonly code: 'FORBIDDEN' };
    readonly SOLD_OUT: { readonly code: 'CONFLICT'; readonly message: 'gone' };
  }>();
  expectTypeOf<keyof ErrorsOf<typeof both>>().toEqualTypeOf<'CLOSED' | 'SOLD_OUT'>();
});

describe('what goes in and out differs on the two sides', () => {
  const both = {
    zod: z.object({ n: z.string().transform(Number), d: z.string().default('x') }),
    zod3: z3.object({ n: z3.string().transform(Number), d: z3.string().default('x') }),
    valibot: v.object({ n: v.pipe(v.string(), v.transform(Number)), d: v.optional(v.string(), 'x') }),
  };

  test('zod 4', () => {
    const made = procedure.input(both.zod).output(both.zod).mutation();
    expectTypeOf<InputOf<typeof made>>().toEqualTypeOf<{ n: string; d?: string | undefined }>();
    expectTypeOf<ParsedInputOf<typeof made>>().toEqualTypeOf<{ n: number; d: string }>();
    expectTypeOf<RawOutputOf<typeof made>>().toEqualTypeOf<{ n: string; d?: string | undefined }>();
    expectTypeOf<OutputOf<typeof made>>().toEqualTypeOf<{ n: number; d: string }>();
  });

  test('zod 3.25', () => {
    const made = procedure.input(both.zod3).output(both.zod3).mutation();
    expectTypeOf<InputOf<typeof made>>().toEqualTypeOf<{ n: string; d?: string | undefined }>();
    expectTypeOf<ParsedInputOf<typeof made>>().toEqualTypeOf<{ n: number; d: string }>();
  });

  test('valibot', () => {
    const made = procedure.input(both.valibot).output(both.valibot).mutation();
    expectTypeOf<InputOf<typeof made>>().toEqualTypeOf<{ n: string; d?: string | undefined }>();
    expectTypeOf<ParsedInputOf<typeof made>>().toEqualTypeOf<{ n: number; d: string }>();
  });

  test('arktype', () => {
    const schema = type({ n: 'string.numeric.parse', 'd?': 'string' });
    const made = procedure.input(schema).output(schema).mutation();
    expectTypeOf<InputOf<typeof made>>().toEqualTypeOf<{ n: string; d?: string }>();
    expectTypeOf<ParsedInputOf<typeof made>>().toEqualTypeOf<{ n: number; d?: string }>();
  });

  test('without a validator nothing goes in and nothing comes out', () => {
    const made = procedure.mutation();
    expectTypeOf<InputOf<typeof made>>().toEqualTypeOf<void>();
    expectTypeOf<ParsedInputOf<typeof made>>().toEqualTypeOf<undefined>();
    expectTypeOf<RawOutputOf<typeof made>>().toEqualTypeOf<void>();
    expectTypeOf<OutputOf<typeof made>>().toEqualTypeOf<void>();
  });
});
