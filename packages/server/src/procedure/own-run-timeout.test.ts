import { expect, test } from 'vitest';
import { withOwnRunTimeout } from './own-run-timeout.js';

const policy = { retentionMs: 60_000, leaseMs: 30_000 };

test('without one of its own a procedure keeps to what holds for all', () => {
  expect(withOwnRunTimeout('x', policy, undefined)).toEqual(policy);
});

test('it may be longer than the lease, which is renewed, or shorter, and then the lease is no longer than it', () => {
  expect(withOwnRunTimeout('x', policy, 45_000)).toEqual({ ...policy, runTimeoutMs: 45_000 });
  expect(withOwnRunTimeout('x', policy, 5_000)).toEqual({ ...policy, leaseMs: 5_000, runTimeoutMs: 5_000 });
  expect(withOwnRunTimeout('x', policy, 1)).toMatchObject({ leaseMs: 100, runTimeoutMs: 1 });
  expect(withOwnRunTimeout('x', policy, Number.POSITIVE_INFINITY)).toMatchObject({ leaseMs: 30_000 });
});

test.each([0, -1, Number.NaN, '5000', null])('%s is no time to run in', (wrong) => {
  expect(() => withOwnRunTimeout('x', policy, wrong as never)).toThrow(TypeError);
  expect(() => withOwnRunTimeout('x', policy, wrong as never)).toThrow(`not ${String(wrong)}`);
});

test('an outcome that comes when nobody may ask for it any more is none', () => {
  expect(() => withOwnRunTimeout('x', policy, 60_001)).toThrow('retentionMs');
});
