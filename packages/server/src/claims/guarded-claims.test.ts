import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Claim, ClaimReply, ClaimStore, SettledClaim } from './claim-store.js';
import { type GuardedClaimsOptions, guardedClaims, noClaims } from './guarded-claims.js';

const claim: Claim = {
  id: { scope: '["ann"]', key: 'k1' },
  fingerprint: '1.abc',
  ownerToken: 'owner',
  leaseMs: 1_000,
};
const settled: SettledClaim = {
  id: claim.id,
  fingerprint: claim.fingerprint,
  outcome: { status: 'COMPLETED', body: '1' },
  retainMs: 1_000,
};

/** A store that answers each call as the test says: with a value, an error, or not at all. */
function scripted() {
  const asked: string[] = [];
  const open: { resolve(value: unknown): void; reject(error: unknown): void }[] = [];
  let answer: 'hang' | 'fail' | ClaimReply = { kind: 'ACQUIRED' };
  const reply = (name: string, value: unknown): Promise<any> => {
    asked.push(name);
    if (answer === 'fail') return Promise.reject(new Error('READONLY'));
    if (answer !== 'hang') return Promise.resolve(name === 'claim' ? answer : value);
    return new Promise((resolve, reject) => open.push({ resolve, reject }));
  };
  const store: ClaimStore = {
    claim: () => reply('claim', undefined),
    renew: () => reply('renew', 'RENEWED'),
    release: () => reply('release', undefined),
    settle: () => reply('settle', undefined),
    close: () => reply('close', undefined),
  };
  return {
    store,
    asked,
    open,
    answers(next: typeof answer) {
      answer = next;
    },
  };
}

function guarded(options: GuardedClaimsOptions = {}) {
  const redis = scripted();
  const failures: unknown[] = [];
  const changes: boolean[] = [];
  const claims = guardedClaims(redis.store, {
    onFailure: (error) => failures.push(error),
    onChange: (available) => changes.push(available),
    ...options,
  });
  return { ...redis, claims, failures, changes };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what the store answers in time is passed on as it is', async () => {
  const { claims, answers, failures } = guarded();
  for (const reply of [
    { kind: 'ACQUIRED' },
    { kind: 'IN_PROGRESS', leftMs: 1, ageMs: 2 },
    { kind: 'SETTLED', outcome: undefined },
    { kind: 'MISMATCH', fingerprint: 'x' },
  ] as const) {
    answers(reply);
    expect(await claims.claim(claim)).toEqual(reply);
  }
  expect(await claims.renew(claim)).toBe('RENEWED');
  expect(failures).toEqual([]);
});

describe('nothing that the store does reaches the caller as an error, or keeps it waiting', () => {
  test('a store that fails', async () => {
    const { claims, answers, failures } = guarded();
    answers('fail');
    expect(await claims.claim(claim)).toMatchObject({ kind: 'UNAVAILABLE' });
    expect(await claims.renew(claim)).toBe('UNAVAILABLE');
    await claims.release(claim);
    expect(failures).toHaveLength(3);
  });

  test.each(['claim', 'renew', 'release', 'settle'] as const)(
    'a store that does not answer a %s: it is waited for 250 ms and no longer',
    async (verb) => {
      const { claims, answers, failures } = guarded();
      answers('hang');
      let done = false;
      const asked = claims[verb]((verb === 'settle' ? settled : claim) as never).then((reply) => {
        done = true;
        return reply;
      });
      await vi.advanceTimersByTimeAsync(249);
      expect(done).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(done).toBe(true);
      if (verb === 'claim') expect(await asked).toMatchObject({ kind: 'UNAVAILABLE' });
      expect(failures).toHaveLength(1);
    },
  );

  test('a store whose answer comes after its time, and is an error: nobody has to listen', async () => {
    const { claims, answers, open } = guarded();
    answers('hang');
    const asked = claims.claim(claim);
    await vi.advanceTimersByTimeAsync(250);
    await asked;
    // An unhandled rejection would fail the run.
    open[0]?.reject(new Error('late'));
    await vi.advanceTimersByTimeAsync(0);
  });

  test('a store that throws before it returns a promise', async () => {
    const { store } = scripted();
    const claims = guardedClaims({
      ...store,
      claim: () => {
        throw new Error('not connected');
      },
    });
    expect(await claims.claim(claim)).toMatchObject({ kind: 'UNAVAILABLE' });
  });
});

describe('the breaker', () => {
  test('three failures in a row, and the store is left alone for a second; then one call tries it', async () => {
    const { claims, answers, asked, changes, failures } = guarded();
    answers('fail');
    for (let n = 0; n < 3; n++) await claims.claim(claim);
    expect(changes).toEqual([false]);
    for (let n = 0; n < 10; n++) expect(await claims.claim(claim)).toMatchObject({ kind: 'UNAVAILABLE' });
    await claims.settle(settled);
    expect(asked).toHaveLength(3);
    // What was never asked has not failed.
    expect(failures).toHaveLength(3);

    await vi.advanceTimersByTimeAsync(1_000);
    answers({ kind: 'ACQUIRED' });
    expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
    expect(changes).toEqual([false, true]);
    expect(await claims.renew(claim)).toBe('RENEWED');
  });

  test('a success between them, and failures do not add up', async () => {
    const { claims, answers, changes } = guarded();
    for (let n = 0; n < 10; n++) {
      answers(n % 3 === 2 ? { kind: 'ACQUIRED' } : 'fail');
      await claims.claim(claim);
    }
    expect(changes).toEqual([]);
  });

  test('a store that stays away is tried once a second, by one call, and is reported as gone once', async () => {
    const { claims, answers, asked, changes } = guarded();
    answers('fail');
    for (let n = 0; n < 3; n++) await claims.claim(claim);
    for (let second = 1; second <= 5; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.all(Array.from({ length: 20 }, () => claims.claim(claim)));
      expect(asked).toHaveLength(3 + second);
    }
    expect(changes).toEqual([false]);
  });

  test('while one call tries the store again, the others wait for it no longer than a call may take', async () => {
    const { claims, answers } = guarded();
    answers('fail');
    for (let n = 0; n < 3; n++) await claims.claim(claim);
    await vi.advanceTimersByTimeAsync(1_000);
    answers('hang');
    let done = 0;
    for (let n = 0; n < 20; n++) void claims.claim(claim).then(() => done++);
    await vi.advanceTimersByTimeAsync(250);
    expect(done).toBe(20);
  });

  test('a clock that is set back does not keep the store left alone', async () => {
    const { claims, answers, asked } = guarded();
    answers('fail');
    for (let n = 0; n < 3; n++) await claims.claim(claim);
    vi.setSystemTime(Date.now() - 3_600_000);
    answers({ kind: 'ACQUIRED' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
    expect(asked).toHaveLength(4);
  });
});

describe('a claim that nobody waits for any longer', () => {
  test('granted late, it is released when the attempt has ended, and not before', async () => {
    const { claims, answers, asked, open } = guarded();
    answers('hang');
    const asking = claims.claim(claim);
    await vi.advanceTimersByTimeAsync(250);
    const reply = await asking;
    open[0]?.resolve({ kind: 'ACQUIRED' });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['claim']);
    if (reply.kind === 'UNAVAILABLE') reply.abandon();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['claim', 'release']);
  });

  test('granted only after the attempt has ended, it is released then', async () => {
    const { claims, answers, asked, open } = guarded();
    answers('hang');
    const asking = claims.claim(claim);
    await vi.advanceTimersByTimeAsync(250);
    const reply = await asking;
    if (reply.kind === 'UNAVAILABLE') reply.abandon();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual(['claim']);
    open[0]?.resolve({ kind: 'ACQUIRED' });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['claim', 'release']);
  });

  test('whose answer was lost on the way, it is released all the same: it may have been granted', async () => {
    const { claims, answers, asked } = guarded();
    answers('fail');
    const reply = await claims.claim(claim);
    if (reply.kind === 'UNAVAILABLE') reply.abandon();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['claim', 'release']);
  });

  test('never sent because of the breaker, there is nothing to release', async () => {
    const { claims, answers, asked } = guarded();
    answers('fail');
    for (let n = 0; n < 3; n++) await claims.claim(claim);
    const reply = await claims.claim(claim);
    if (reply.kind === 'UNAVAILABLE') reply.abandon();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['claim', 'claim', 'claim']);
  });
});

test('without a store every claim is unavailable, and there is nothing to tell', async () => {
  const reply = await noClaims.claim(claim);
  expect(reply).toMatchObject({ kind: 'UNAVAILABLE' });
  if (reply.kind === 'UNAVAILABLE') reply.abandon();
  expect(await noClaims.renew(claim)).toBe('UNAVAILABLE');
});

describe('a renewal that was not answered in time', () => {
  test('and comes through after the attempt has ended is released behind it: it would hold the key for nobody', async () => {
    const { claims, answers, asked, open } = guarded();
    answers('hang');
    const renewed = claims.renew(claim);
    await vi.advanceTimersByTimeAsync(250);
    expect(await renewed).toBe('UNAVAILABLE');
    answers({ kind: 'ACQUIRED' });
    await claims.release(claim);
    expect(asked).toEqual(['renew', 'release']);
    open[0]?.resolve('RENEWED');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['renew', 'release', 'release']);
  });

  test('is of no account once it was answered, or for another owner', async () => {
    const { claims, answers, asked, open } = guarded();
    answers('hang');
    void claims.renew(claim);
    await vi.advanceTimersByTimeAsync(250);
    answers({ kind: 'ACQUIRED' });
    await claims.release({ ...claim, ownerToken: 'other' });
    open[0]?.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(0);
    await claims.release(claim);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual(['renew', 'release', 'release']);
  });
});
