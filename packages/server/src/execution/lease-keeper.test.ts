import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Claim } from '../claims/claim-store.js';
import { type GuardedClaims, noClaims } from '../claims/guarded-claims.js';
import { keepLease } from './lease-keeper.js';

type Reply = 'RENEWED' | 'LOST' | 'UNAVAILABLE';

const claim: Claim = {
  id: { scope: '[]', key: 'k1' },
  fingerprint: '1.a',
  ownerToken: 'one',
  leaseMs: 3_000,
};

/** Keeps a lease with renewals that answer as told, and notes when each was asked. */
function keep(reply: Reply | (() => Promise<Reply>)) {
  const askedAt: number[] = [];
  const lost = vi.fn();
  const began = performance.now();
  const claims: GuardedClaims = {
    ...noClaims,
    async renew(renewed) {
      expect(renewed).toBe(claim);
      askedAt.push(Math.round(performance.now() - began));
      return typeof reply === 'function' ? reply() : reply;
    },
  };
  const stop = keepLease(claims, claim, lost);
  return {
    askedAt,
    lost,
    stop,
    answers(next: typeof reply) {
      reply = next;
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a lease is renewed at every third of it, for as long as the handler runs', async () => {
  const { askedAt, lost, stop } = keep('RENEWED');
  await vi.advanceTimersByTimeAsync(5_500);
  expect(askedAt).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(askedAt).toHaveLength(5);
  expect(lost).not.toHaveBeenCalled();
});

test('a handler that is quicker than a third of the lease costs no renewal', async () => {
  const { askedAt, stop } = keep('RENEWED');
  await vi.advanceTimersByTimeAsync(999);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(askedAt).toEqual([]);
});

test('a renewal without an answer is tried again at once, and is not a lost claim', async () => {
  const { askedAt, lost, answers, stop } = keep('UNAVAILABLE');
  await vi.advanceTimersByTimeAsync(1_250);
  expect(askedAt).toEqual([1_000, 1_100, 1_200]);
  answers('RENEWED');
  await vi.advanceTimersByTimeAsync(1_050);
  expect(askedAt).toEqual([1_000, 1_100, 1_200, 1_300, 2_300]);
  expect(lost).not.toHaveBeenCalled();
  stop();
});

test('renewals without an answer until the lease has ended: it is lost then, by the local clock, and told once', async () => {
  const { askedAt, lost } = keep('UNAVAILABLE');
  await vi.advanceTimersByTimeAsync(2_950);
  expect(lost).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(100);
  expect(lost).toHaveBeenCalledTimes(1);
  const asked = askedAt.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lost).toHaveBeenCalledTimes(1);
  expect(askedAt).toHaveLength(asked);
});

test('the lease counts from when a renewal was asked for, not from when it was answered', async () => {
  const slow = () => new Promise<Reply>((resolve) => setTimeout(() => resolve('RENEWED'), 800));
  const { lost, answers } = keep(slow);
  await vi.advanceTimersByTimeAsync(1_800);
  answers('UNAVAILABLE');
  // Asked for at 1,000 ms, so it ends at 4,000 ms.
  await vi.advanceTimersByTimeAsync(2_150);
  expect(lost).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(150);
  expect(lost).toHaveBeenCalledTimes(1);
});

test('a claim that has gone to another is lost at once', async () => {
  const { askedAt, lost } = keep('LOST');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(askedAt).toEqual([1_000]);
  expect(lost).toHaveBeenCalledTimes(1);
});

test('an answer that comes after the handler has ended changes nothing', async () => {
  for (const late of ['RENEWED', 'LOST', 'UNAVAILABLE'] as const) {
    let answer = (_: Reply): void => {};
    const { askedAt, lost, stop } = keep(
      () =>
        new Promise<Reply>((resolve) => {
          answer = resolve;
        }),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    stop();
    answer(late);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(askedAt).toEqual([1_000]);
    expect(lost).not.toHaveBeenCalled();
  }
});
