import { expect, it } from 'vitest';
import { AttemptCounter } from './attempt-counter.js';

it('attempts are counted from 1, for each identity by itself', () => {
  const counter = new AttemptCounter();
  expect(['a', 'b', 'a', 'a', 'b'].map((identity) => counter.next(identity))).toEqual([1, 1, 2, 3, 2]);
});

it('the identity that was not seen for longest is forgotten first, and memory stays bounded', () => {
  const counter = new AttemptCounter(2);
  for (const identity of ['a', 'b', 'a', 'c']) counter.next(identity); // b goes when c comes.
  expect([counter.next('a'), counter.next('b')]).toEqual([3, 1]);
});
