import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { ContractError } from '../contract/contract-error.js';
import { procedure } from './builder.js';
import { idempotentPolicy } from './policy.js';

const input = z.object({ sku: z.string() });
const output = z.object({ id: z.string() });

test('a procedure says what was built, and has no path before it is in a contract', () => {
  const OUT_OF_STOCK = { code: 'CONFLICT', data: z.object({ sku: z.string() }) } as const;
  expect(
    procedure.input(input).output(output).errors({ OUT_OF_STOCK }).idempotent({ leaseMs: 5_000 }).mutation(),
  ).toEqual({
    path: '',
    kind: 'mutation',
    input,
    output,
    errors: { OUT_OF_STOCK },
    idempotent: idempotentPolicy({ leaseMs: 5_000 }),
  });
});

test('a query and a mutation without a key have no policy', () => {
  expect(procedure.query()).toMatchObject({ kind: 'query', idempotent: undefined });
  expect(procedure.mutation()).toMatchObject({ kind: 'mutation', idempotent: undefined });
});

test('every step gives a new builder, so that one can be shared', () => {
  const base = procedure.errors({ CLOSED: { code: 'FORBIDDEN' } });
  const one = base.errors({ GONE: { code: 'NOT_FOUND' } }).mutation();
  const other = base.input(input).mutation();
  expect(Object.keys(one.errors)).toEqual(['CLOSED', 'GONE']);
  expect(Object.keys(other.errors)).toEqual(['CLOSED']);
  expect(one.input).toBeUndefined();
});

test('a procedure cannot be changed', () => {
  const built = procedure.errors({ CLOSED: { code: 'FORBIDDEN' } }).mutation();
  expect(Object.isFrozen(built) && Object.isFrozen(built.errors)).toBe(true);
});

test.each([
  ['zod 4', z.object({ sku: z.string() })],
  ['zod 3.25', z3.object({ sku: z3.string() })],
  ['valibot', v.object({ sku: v.string() })],
  ['arktype', type({ sku: 'string' })],
])('%s validators are kept as they are', (_name, schema) => {
  const built = procedure.input(schema).output(schema).idempotent().mutation();
  expect(built.input).toBe(schema);
  expect(built.output).toBe(schema);
});

test('a wrong policy is told where it is written', () => {
  expect(() => procedure.idempotent({ leaseMs: -1 })).toThrow(ContractError);
});

test('there is no way from idempotent to a query', () => {
  expect('query' in procedure.idempotent()).toBe(false);
});
