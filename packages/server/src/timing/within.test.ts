import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoAnswerError, within } from './within.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what comes in time is handed on, error or not, and leaves no timer behind', async () => {
  expect(await within(Promise.resolve(1), 100, 'it')).toBe(1);
  const error = new Error('no');
  await expect(within(Promise.reject(error), 100, 'it')).rejects.toBe(error);
  expect(vi.getTimerCount()).toBe(0);
});

test('what does not come in time is said to have been late, by name, and counts as a fault of the connection', async () => {
  const late = within(new Promise(() => {}), 100, 'COMMIT').catch((error) => error);
  await vi.advanceTimersByTimeAsync(100);
  const error = await late;
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(error).toMatchObject({ message: 'COMMIT took longer than 100 ms', code: 'ETIMEDOUT' });
});

test('what fails after its time fails unheard', async () => {
  let fail = (_: Error): void => {};
  const pending = new Promise((_, reject) => {
    fail = reject;
  });
  const late = within(pending, 100, 'it').catch(() => 'late');
  await vi.advanceTimersByTimeAsync(100);
  expect(await late).toBe('late');
  // An unhandled rejection would fail the run.
  fail(new Error('too late'));
  await vi.advanceTimersByTimeAsync(0);
});

test.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_SAFE_INTEGER])(
  'a limit longer than a timer can be is no limit of a millisecond: %d',
  async (ms) => {
    let ended = false;
    const pending = within(new Promise((resolve) => setTimeout(resolve, 86_400_000)), ms, 'it').finally(
      () => {
        ended = true;
      },
    );
    await vi.advanceTimersByTimeAsync(86_399_999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await pending;
  },
);
