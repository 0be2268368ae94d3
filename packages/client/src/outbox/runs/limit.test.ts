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

test('those who come while places are handed on do not slip in', async () => {
  const one = limit(1);
  const order: string[] = [];
  let most = 0;
  let running = 0;
  const task = (name: string) => async () => {
    running += 1;
    most = Math.max(most, running);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const first = one(task('first'));
  const second = one(task('second'));
  const third = first.then(() => one(task('third')));
  await Promise.all([first, second, third]);
  expect(order).toEqual(['first', 'second', 'third']);
  expect(most).toBe(1);
});

test('a task that fails gives its place on', async () => {
  const one = limit(1);
  const failing = one(() => Promise.reject(new Error('no')));
  const next = one(async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
