import { describe, expect, test } from 'vitest';
import { ContractError } from '../contract/contract-error.js';
import { defaultRetryPolicy } from '../retry/retry-policy.js';
import { defaultIdempotentPolicy, type IdempotentOptions, idempotentPolicy } from './policy.js';

test('without options a day is kept and half a minute is claimed', () => {
  expect(idempotentPolicy()).toEqual({ retentionMs: 86_400_000, leaseMs: 30_000, retry: defaultRetryPolicy });
  expect(idempotentPolicy({})).toEqual(defaultIdempotentPolicy);
});

test('options are laid over the defaults, those of the retry too', () => {
  expect(idempotentPolicy({ leaseMs: 5_000, retry: { maxAttempts: 2 } })).toEqual({
    retentionMs: 86_400_000,
    leaseMs: 5_000,
    retry: { ...defaultRetryPolicy, maxAttempts: 2 },
  });
});

test('a policy cannot be changed after it was checked', () => {
  const policy = idempotentPolicy();
  expect(Object.isFrozen(policy) && Object.isFrozen(policy.retry)).toBe(true);
});

const ranges = [
  ['retentionMs', 1_000, 366 * 86_400_000],
  ['leaseMs', 100, 3_600_000],
] as const;

describe.each(ranges)('%s', (name, least, most) => {
  test('may be what lies in its range', () => {
    expect(idempotentPolicy({ [name]: least })[name]).toBe(least);
    expect(idempotentPolicy({ [name]: most })[name]).toBe(most);
  });

  test.each([least - 1, most + 1, 0, -1, 1_000.5, Number.NaN, Number.POSITIVE_INFINITY, '5000', 5_000n])(
    'may not be %s',
    (value) => {
      const make = () => idempotentPolicy({ [name]: value } as IdempotentOptions);
      expect(make).toThrow(ContractError);
      expect(make).toThrow(`${name} must be a whole number of milliseconds from ${least} to ${most}`);
    },
  );
});

test.each(['ttlMs', 'leaseMS', 'retries', 'toString'])('%s is no option', (name) => {
  const make = () => idempotentPolicy({ [name]: 1 } as IdempotentOptions);
  expect(make).toThrow(ContractError);
  expect(make).toThrow(`idempotent({ ${name} }): there is no such option`);
});

test('a wrong retry policy is refused here already', () => {
  expect(() => idempotentPolicy({ retry: { maxAttempts: 0 } })).toThrow('retry.maxAttempts');
});
