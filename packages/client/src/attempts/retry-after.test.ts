import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const now = Date.parse('Tue, 01 Jul 2025 10:00:00 GMT');

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 12 ', 12_000],
  ['Tue, 01 Jul 2025 10:00:30 GMT', 30_000],
  ['Tuesday, 01-Jul-25 10:00:30 GMT', 30_000],
  ['Tue, 01 Jul 2025 09:00:00 GMT', 0],
])('Retry-After %j is %d ms from now', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});

test.each([
  ...[null, undefined, '', '  ', '-5', '1.5', '5s', 'soon', '2025-07-01T10:00:30Z'],
  ...[
    'in 3000',
    'soon 9999',
    'Month 2030',
    'Monday',
    '99999999999999999999',
    'Tue, 01 Jul 2125 10:00:00 GMT',
  ],
])('Retry-After %j says nothing', (header) => {
  expect(retryAfterMs(header, now)).toBeUndefined();
});
