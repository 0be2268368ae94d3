import { expect, test } from 'vitest';
import { until } from './until.js';

test('what the condition gave is given as soon as it holds', async () => {
  let looks = 0;
  expect(await until(() => ++looks === 3 && 'third', { everyMs: 1 })).toBe('third');
});

test('a condition that never holds fails with what was waited for', async () => {
  await expect(until(() => false, { withinMs: 5, everyMs: 1, what: 'the cows' })).rejects.toThrow(
    'not true within 5 ms: the cows',
  );
});

test('what the condition throws ends the wait', async () => {
  const broken = () => Promise.reject(new Error('broken'));
  await expect(until(broken, { withinMs: 60_000 })).rejects.toThrow('broken');
});
