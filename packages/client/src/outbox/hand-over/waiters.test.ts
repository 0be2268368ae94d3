import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { Waiters } from './waiters.js';

const leave = (reason: string) => new Error(reason);

test('each waiter leaves at its own deadline; the others go on', async () => {
  const clock = new FakeClock();
  const waiters = new Waiters(clock);
  const short = waiters.wait('op', { waitMs: 100 }, leave);
  const long = waiters.wait('op', { waitMs: 1_000 }, leave);
  const left = expect(short).rejects.toThrow('wait-over');
  await clock.advance(100);
  await left;
  expect(waiters.has('op')).toBe(true);
  waiters.end('op', (waiter) => waiter.resolve('data'));
  expect(await long).toBe('data');
  expect(waiters.has('op')).toBe(false);
});

test('nothing is left of a wait that ended, however it ended', async () => {
  const clock = new FakeClock();
  const waiters = new Waiters(clock);
  const { signal } = new AbortController();
  const aborting = new AbortController();
  const ends = [
    waiters.wait('a', { signal, waitMs: 5 }, leave),
    waiters.wait('b', { signal, waitMs: 5 }, leave),
    waiters.wait('c', { signal: aborting.signal, waitMs: 5 }, leave),
    waiters.wait('d', { signal: AbortSignal.abort(), waitMs: 5 }, leave),
  ].map((wait) => wait.catch((error: Error) => error.message));
  waiters.end('a', (waiter) => waiter.resolve('data'));
  waiters.end('b', (waiter) => waiter.reject(new Error('no')));
  aborting.abort();
  expect(await Promise.all(ends)).toEqual(['data', 'no', 'aborted', 'aborted']);
  expect(clock.pending).toBe(0);
  expect(['a', 'b', 'c', 'd'].some((id) => waiters.has(id))).toBe(false);
});

test('ending all waits leaves out nobody', async () => {
  const waiters = new Waiters(new FakeClock());
  const ends = ['a', 'a', 'b'].map((id) =>
    waiters.wait(id, {}, leave).catch((error: Error) => error.message),
  );
  waiters.end(undefined, (waiter) => waiter.leave('closed'));
  expect(await Promise.all(ends)).toEqual(['closed', 'closed', 'closed']);
});
