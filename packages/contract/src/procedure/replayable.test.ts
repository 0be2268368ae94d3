import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { readOncePart } from './replayable.js';

const zodFile = z.file();
const valibotFile = v.file();

describe('what can be read only once is found and named', () => {
  test.each([
    ['itself', zodFile, 'itself (file)'],
    ['a promise', z.promise(z.string()), 'itself (promise)'],
    ['a field', z.object({ a: z.string(), scan: zodFile }), 'scan (file)'],
    ['a nested field', z.object({ a: z.object({ scan: zodFile }) }), 'a.scan (file)'],
    ['an optional field', z.object({ scan: zodFile.optional() }), 'scan (file)'],
    ['behind every wrapper', z.object({ scan: zodFile.nullable().optional().readonly() }), 'scan (file)'],
    ['in a list', z.object({ scans: z.array(zodFile) }), 'scans (file)'],
    ['in a union', z.union([z.string(), zodFile]), 'itself (file)'],
    ['in a tagged union', z.discriminatedUnion('t', [z.object({ t: z.literal(1), f: zodFile })]), 'f (file)'],
    ['in a tuple', z.tuple([z.string(), zodFile]), 'itself (file)'],
    ['in a record', z.record(z.string(), zodFile), 'itself (file)'],
    ['in a map', z.map(z.string(), zodFile), 'itself (file)'],
    ['in a set', z.set(zodFile), 'itself (file)'],
    ['in an intersection', z.intersection(z.object({ a: z.string() }), z.object({ f: zodFile })), 'f (file)'],
    ['before a transformation', z.object({ f: zodFile.transform((file) => file.size) }), 'f (file)'],
    ['as deep as it goes', deep(20), 'a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a (file)'],
  ])('zod: %s', (_where, schema, found) => {
    expect(readOncePart(schema)).toBe(found);
  });

  test.each([
    ['itself', valibotFile, 'itself (file)'],
    ['a blob', v.blob(), 'itself (blob)'],
    ['a nested field', v.object({ a: v.object({ scan: valibotFile }) }), 'a.scan (file)'],
    ['an optional field', v.object({ scan: v.optional(valibotFile) }), 'scan (file)'],
    ['in a list', v.object({ scans: v.array(valibotFile) }), 'scans (file)'],
    ['in a union', v.union([v.string(), valibotFile]), 'itself (file)'],
    ['in a variant', v.variant('t', [v.object({ t: v.literal(1), f: valibotFile })]), 'f (file)'],
    ['in a record', v.record(v.string(), valibotFile), 'itself (file)'],
    ['in a pipe', v.pipe(valibotFile, v.maxSize(10)), 'itself (file)'],
  ])('valibot: %s', (_where, schema, found) => {
    expect(readOncePart(schema)).toBe(found);
  });
});

describe('what can be kept is let through', () => {
  const Tree = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree);
    },
  });

  test.each([
    ['no schema', undefined],
    ['zod', z.object({ at: z.date(), n: z.bigint(), tags: z.set(z.string()), more: z.unknown() })],
    ['a schema that refers to itself', Tree],
    ['a field that is called type', z.object({ type: z.literal('file') })],
    ['zod 3', z3.object({ a: z3.string(), nested: z3.object({ b: z3.number().optional() }) })],
    ['valibot', v.object({ a: v.string(), nested: v.optional(v.object({ b: v.number() })) })],
    ['a valibot field that is called type', v.object({ type: v.literal('file') })],
    ['arktype', type({ a: 'string', 'nested?': { b: 'number' } })],
  ])('%s', (_what, schema) => {
    expect(readOncePart(schema)).toBeUndefined();
  });

  test('a schema whose parts cannot be looked at is let through: the server looks at the values', () => {
    const closed = new Proxy(z.object({}), {
      get: () => {
        throw new Error('closed');
      },
    });
    expect(readOncePart(closed)).toBeUndefined();
  });
});

function deep(levels: number): z.ZodType {
  return levels === 0 ? zodFile : z.object({ a: deep(levels - 1) });
}
