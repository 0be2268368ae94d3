import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { finalByDefault } from './final-by-default.js';

test.each([
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'PAYMENT_REQUIRED',
] as const)('%s is an answer, so it settles', (code) =>
  expect(finalByDefault(new TRPCError({ code }))).toBe(true),
);

test.each([
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
  'UNAUTHORIZED',
  'TIMEOUT',
  'TOO_MANY_REQUESTS',
  'CLIENT_CLOSED_REQUEST',
] as const)('%s says "not now", so it releases', (code) =>
  expect(finalByDefault(new TRPCError({ code }))).toBe(false),
);
