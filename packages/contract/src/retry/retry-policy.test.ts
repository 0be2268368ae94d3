import { describe, expect, test } from 'vitest';
import { ContractError } from '../contract/contract-error.js';
import { defaultRetryPolicy, mergeRetryPolicy, type RetryPolicy } from './retry-policy.js';

test('the defaults are a policy themselves', () => {
  expect(mergeRetryPolicy(defaultRetryPolicy, defaultRetryPolicy)).toEqual(defaultRetryPolicy);
});

test('the later override wins, field by field', () => {
  const merged = mergeRetryPolicy(defaultRetryPolicy, { maxAttempts: 3, waitMs: 5_000 }, undefined, {
    maxAttempts: 4,
  });
  expect(merged).toEqual({ ...defaultRetryPolicy, maxAttempts: 4, waitMs: 5_000 });
});

test('an override that leaves a field undefined leaves it alone', () => {
  const override = { maxAttempts: undefined } as unknown as Partial<RetryPolicy>;
  expect(mergeRetryPolicy(defaultRetryPolicy, override)).toEqual(defaultRetryPolicy);
});

test('neither the base nor an override is changed, and the outcome cannot be', () => {
  const base = { ...defaultRetryPolicy };
  const merged = mergeRetryPolicy(base, { maxAttempts: 2 });
  expect(base).toEqual(defaultRetryPolicy);
  expect(Object.isFrozen(merged)).toBe(true);
});

describe.each(Object.keys(defaultRetryPolicy) as (keyof RetryPolicy)[])('%s', (field) => {
  const least = { maxAttempts: 1, minDelayMs: 0, maxDelayMs: 0, attemptTimeoutMs: 1, waitMs: 0 }[field];

  test.each([least, 2_147_483_647])('may be %d', (value) => {
    expect(mergeRetryPolicy(defaultRetryPolicy, { [field]: value })[field]).toBe(value);
  });

  test.each([least - 1, 2_147_483_648, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, 5n, {}])(
    'may not be %s, and the error says what it may be',
    (value) => {
      const merge = () => mergeRetryPolicy(defaultRetryPolicy, { [field]: value } as Partial<RetryPolicy>);
      expect(merge).toThrow(ContractError);
      expect(merge).toThrow(`retry.${field} must be a whole number from ${least} to 2147483647`);
    },
  );
});

test.each(['maxRetries', 'retries', 'toString', 'constructor', 'MaxAttempts'])(
  '%s is no field of a policy',
  (field) => {
    const merge = () => mergeRetryPolicy(defaultRetryPolicy, { [field]: 1 } as Partial<RetryPolicy>);
    expect(merge).toThrow(ContractError);
    expect(merge).toThrow(`retry.${field} is not part of a retry policy`);
  },
);
