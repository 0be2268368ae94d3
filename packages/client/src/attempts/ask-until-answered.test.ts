import { defaultRetryPolicy, mergeRetryPolicy, type RetryPolicy } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { FakeClock, settled } from '../testing/fake-clock.js';
import { type Asked, type Attempted, askUntilAnswered } from './ask-until-answered.js';
import { Bell } from './bell.js';
import type { Again } from './classify.js';
import { Closing } from './closing.js';
import type { Evidence } from './evidence.js';
import { RetryBudget } from './retry-budget.js';

const failed: Attempted = verdict('network');
const inProgress: Attempted = {
  ...verdict('in-progress'),
  verdict: { ...again('in-progress'), spends: false },
};
const done: Attempted = { verdict: { kind: 'settled' } };

function again(reason: Again['reason']): Again {
  return { kind: 'again', reason, spends: true, mayHaveRun: true };
}

function verdict(reason: Again['reason'], retryAfterMs?: number): Attempted {
  const evidence: Evidence = {
    kind: 'answer',
    status: 503,
    retryAfterMs,
    replayed: false,
    sentOnce: true,
    text: '',
    answer: undefined,
  };
  return { verdict: again(reason), evidence };
}

function ask(answers: Attempted[], retry: Partial<RetryPolicy> = {}, random = () => 0.5) {
  const clock = new FakeClock();
  const start = clock.now();
  const policy = mergeRetryPolicy(defaultRetryPolicy, retry);
  const attempts: number[] = [];
  const waits: number[] = [];
  const closing = new Closing();
  const hurry = new Bell();
  let ended: Asked | undefined;
  const asked = askUntilAnswered({
    policy,
    clock,
    random,
    hurry,
    closing,
    budget: new RetryBudget(clock, random),
    repeated: false,
    deadline: () => start + policy.waitMs,
    async attempt() {
      attempts.push(clock.now() - start);
      return answers.shift() ?? failed;
    },
    async waiting({ nextAttemptAt }) {
      waits.push(nextAttemptAt - start);
    },
  }).then((end) => {
    ended = end;
    return end;
  });
  return { clock, attempts, waits, hurry, closing, asked, ended: () => ended };
}

test('the first terminal answer ends the asking', async () => {
  const { asked, attempts } = ask([done]);
  expect(await asked).toEqual(done);
  expect(attempts).toEqual([0]);
});

test('maxAttempts counts the first attempt', async () => {
  for (const maxAttempts of [1, 2, 5]) {
    const { clock, attempts, ended } = ask([], { maxAttempts });
    await clock.advance(200_000);
    expect(attempts.length).toBe(maxAttempts);
    expect(ended()?.verdict).toMatchObject({ kind: 'gave-up', reason: 'attempts-spent' });
  }
});

test('delays double, and are announced before they are waited', async () => {
  const { clock, attempts, waits } = ask([failed, failed, failed, done], {
    minDelayMs: 100,
    maxDelayMs: 10_000,
  });
  await clock.advance(10_000);
  expect(waits).toEqual([50, 150, 350]);
  expect(attempts).toEqual([0, 50, 150, 350]);
});

test('answers that only say "in progress" spend no attempt, not even the only one', async () => {
  const answers = [inProgress, inProgress, inProgress, inProgress, done];
  const { clock, attempts, asked } = ask(answers, { maxAttempts: 1 });
  await clock.advance(60_000);
  expect(await asked).toEqual(done);
  expect(attempts.length).toBe(5);
});

test('asking for a running operation ends with the wait, not before', async () => {
  const { clock, attempts, ended } = ask(Array(500).fill(inProgress), { maxAttempts: 2, waitMs: 30_000 });
  await clock.advance(29_000);
  expect(ended()).toBeUndefined();
  await clock.advance(2_000);
  expect(ended()?.verdict).toMatchObject({ kind: 'gave-up', reason: 'wait-over' });
  expect(attempts.length).toBeGreaterThan(15);
});

test('no attempt begins after the deadline', async () => {
  const { clock, attempts, ended } = ask([], { maxAttempts: 100, waitMs: 5_000 });
  await clock.advance(60_000);
  expect(ended()?.verdict).toMatchObject({ reason: 'wait-over' });
  expect(Math.max(...attempts)).toBeLessThanOrEqual(5_000);
});

test('Retry-After is waited for', async () => {
  const { clock, attempts } = ask([verdict('http-503', 4_000), done], { minDelayMs: 100 });
  await clock.advance(3_999);
  expect(attempts).toEqual([0]);
  await clock.advance(1_000);
  expect(attempts).toEqual([0, 4_050]);
});

test('a Retry-After beyond the wait ends the asking at once, and is handed on', async () => {
  const { clock, asked } = ask([verdict('http-429', 3_600_000)]);
  const start = clock.now();
  expect((await asked).verdict).toMatchObject({ reason: 'retry-later', notBefore: start + 3_600_000 });
});

test('a TypeError out of an attempt is not taken for a network error and swallowed', async () => {
  const clock = new FakeClock();
  await expect(
    askUntilAnswered({
      policy: defaultRetryPolicy,
      clock,
      random: Math.random,
      hurry: new Bell(),
      closing: new Closing(),
      budget: new RetryBudget(clock, Math.random),
      repeated: false,
      deadline: () => clock.now() + 1_000,
      attempt: () => Promise.reject(new TypeError('a bug')),
      waiting: () => Promise.resolve(),
    }),
  ).rejects.toThrow('a bug');
});

test('a hurry cuts a backoff short, and spends its attempt like any other', async () => {
  const { clock, attempts, hurry, ended } = ask([], {
    minDelayMs: 10_000,
    maxDelayMs: 10_000,
    maxAttempts: 3,
  });
  await settled();
  hurry.ring();
  await clock.advance(10);
  hurry.ring();
  await clock.advance(10);
  expect(attempts).toEqual([0, 0, 10]);
  expect(ended()?.verdict).toMatchObject({ reason: 'attempts-spent' });
});

test('a hurry does not cut short what the server asked for', async () => {
  const { clock, attempts, hurry } = ask([verdict('http-503', 4_000), done], { minDelayMs: 8_000 });
  await clock.advance(1_000);
  hurry.ring();
  await clock.advance(2_999);
  expect(attempts).toEqual([0]);
  await clock.advance(1);
  expect(attempts).toEqual([0, 4_000]);
});

test('closing cuts a wait short and leaves no timer', async () => {
  const { clock, closing, ended } = ask([failed], { minDelayMs: 10_000, maxDelayMs: 10_000 });
  await settled();
  expect(clock.pending).toBe(1);
  closing.close();
  await settled();
  expect(ended()?.verdict).toMatchObject({ reason: 'closed' });
  expect(clock.pending).toBe(0);
});

test('closing during a good attempt does not throw its answer away', async () => {
  const closing = new Closing();
  const clock = new FakeClock();
  const asked = await askUntilAnswered({
    policy: defaultRetryPolicy,
    clock,
    random: Math.random,
    hurry: new Bell(),
    closing,
    budget: new RetryBudget(clock, Math.random),
    repeated: false,
    deadline: () => clock.now() + 1_000,
    async attempt() {
      closing.close();
      return done;
    },
    waiting: () => Promise.resolve(),
  });
  expect(asked).toEqual(done);
});

test('in an outage of the origin whoever repeats waits for a turn, and spends no attempt on that', async () => {
  const clock = new FakeClock();
  const start = clock.now();
  const budget = new RetryBudget(clock, () => 0.5);
  for (let failures = 0; failures < 100; failures += 1) budget.ended(false, false);
  // Somebody else's probe is under way.
  const pace = { hurry: new Bell(), closing: new Closing(), deadline: () => start + 60_000 };
  const probe = budget.turn(pace, false);
  await clock.advance(2_000);
  expect(await probe).toBe(true);
  const ask = (repeated: boolean) => {
    let attempts = 0;
    const asked = askUntilAnswered({
      ...pace,
      policy: { ...defaultRetryPolicy, maxAttempts: 2 },
      clock,
      random: () => 0.5,
      budget,
      repeated,
      attempt: async () => {
        attempts += 1;
        return failed;
      },
      waiting: () => Promise.resolve(),
    });
    return { asked, attempts: () => attempts };
  };
  const first = ask(false);
  const resumed = ask(true);
  await clock.advance(50_000);
  expect(first.attempts()).toBe(1);
  expect(resumed.attempts()).toBe(0);
  await clock.advance(15_000);
  expect((await first.asked).verdict).toMatchObject({
    kind: 'gave-up',
    reason: 'wait-over',
    last: { reason: 'network' },
  });
  expect((await resumed.asked).verdict).toMatchObject({ reason: 'wait-over', last: undefined });
  expect((await resumed.asked).evidence).toBeUndefined();
  expect(clock.pending).toBe(0);
});
