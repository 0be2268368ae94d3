import { expect, test } from 'vitest';
import { redisClaims } from '../claims/redis-claims.js';
import { postgresRecords } from '../records/ready-made.js';
import { createOnce } from './create-once.js';
import { type OnceOptions, requireOptions } from './once-options.js';

const good: OnceOptions<any, any> = { scope: () => 'ann', records: { transact: () => {} } as never };

test.each<[string, (value: never) => Partial<OnceOptions<any, any>>, unknown[]]>([
  ['maxOutcomeLength', (maxOutcomeLength) => ({ maxOutcomeLength }), [-1, Number.NaN, '1000', null]],
  [
    'whenInProgress.waitMs',
    (waitMs) => ({ whenInProgress: { waitMs } }),
    [undefined, -1, Number.NaN, Number.POSITIVE_INFINITY, '5000'],
  ],
  [
    'whenInProgress.maxWaiters',
    (maxWaiters) => ({ whenInProgress: { waitMs: 1, maxWaiters } }),
    [-1, Number.NaN, '5'],
  ],
])('%s is refused at the start where it is no number that can be kept to', (name, option, wrong) => {
  for (const value of wrong)
    expect(() => requireOptions({ ...good, ...option(value as never) }), String(value)).toThrow(
      `createOnce({ ${name} }) must be a number from`,
    );
  expect(() => requireOptions({ ...good, ...option(500 as never) })).not.toThrow();
});

test('createOnce() and stores made of something else say what they need', () => {
  expect(() => createOnce(undefined as never)).toThrow('createOnce({ scope })');
  expect(() => postgresRecords('postgres://x' as never)).toThrow('needs a pg Pool');
  expect(() => postgresRecords(undefined as never)).toThrow('needs a pg Pool');
  expect(() => redisClaims('redis://x' as never)).toThrow('needs an ioredis client');
});
