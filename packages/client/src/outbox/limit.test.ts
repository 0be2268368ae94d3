import { expect, test } from 'vitest';
import { limit } from './limit.js';

test('never more than the limit run, all run, and in the order they came', async () => {
  const atMost = limit(3);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      atMost(async () => {
        order.push(index);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return index;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(order).toEqual(results);
});

test('a task that fails gives its place on', async () => {
  const one = limit(1);
  const failing = one(() => Promise.reject(new Error('no')));
  const next = one(async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
