import { expect, it } from 'vitest';
import { integer } from './integer.js';

it.each<[unknown, number]>([
  ['0', 0],
  ['-749', -749],
  ['9007199254740991', 2 ** 53 - 1],
  [12, 12],
  [12n, 12],
])('reads %o', (value, number) => {
  expect(integer(value)).toBe(number);
});

it.each([
  '9007199254740993',
  2n ** 53n,
  1.5,
  '1.5',
  '',
  ' ',
  '0x10',
  null,
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('refuses %o rather than to round or guess', (value) => {
  expect(() => integer(value)).toThrow(RangeError);
});
