import { expect, it } from 'vitest';
import { Upstreams } from './upstreams.js';

const names = (line: readonly URL[]) => line.map(({ port }) => port);

it('everyone is in line once, and each is first in turn', () => {
  const upstreams = new Upstreams(['http://h:1', 'http://h:2', 'http://h:3']);
  const lines = [1, 2, 3, 4].map(() => names(upstreams.order()));
  expect(lines).toEqual([
    ['1', '2', '3'],
    ['2', '3', '1'],
    ['3', '1', '2'],
    ['1', '2', '3'],
  ]);
});

it('whoever had the first copy is last in line for the second, whoever’s turn it is', () => {
  const upstreams = new Upstreams(['http://h:1', 'http://h:2']);
  const [first] = upstreams.order();
  upstreams.order(); // Another request came between: it is the same upstream's turn again.
  expect(names(upstreams.order(first))).toEqual(['2', '1']);
});

it('a single upstream gets the second copy too', () => {
  const upstreams = new Upstreams(['http://h:1']);
  const [only] = upstreams.order();
  expect(names(upstreams.order(only))).toEqual(['1']);
});
