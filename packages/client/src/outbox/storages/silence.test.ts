import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heardOf, SILENT_MS } from './silence.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('one that has not changed for long enough by the file system’s clock is silent at once', () => {
  const file = randomUUID();
  expect(heardOf(file, 1_000, 1_000 + SILENT_MS)).toBe('silent');
});

test('of one that is not old it is unclear until it changes; then it lives, for as long as a beat lasts', () => {
  const file = randomUUID();
  expect(heardOf(file, 1_000, 2_000)).toBe('unclear');
  vi.advanceTimersByTime(3_000);
  expect(heardOf(file, 4_000, 5_000)).toBe('lives');
  vi.advanceTimersByTime(SILENT_MS);
  expect(heardOf(file, 4_000, 5_000)).toBe('silent');
});

test('one from the future, after the clock was set back, is silent once it has been watched for as long', () => {
  const file = randomUUID();
  const hour = 3_600_000;
  expect(heardOf(file, hour, 0)).toBe('unclear');
  vi.advanceTimersByTime(SILENT_MS - 1);
  expect(heardOf(file, hour, SILENT_MS - 1)).toBe('unclear');
  vi.advanceTimersByTime(1);
  expect(heardOf(file, hour, SILENT_MS)).toBe('silent');
});
