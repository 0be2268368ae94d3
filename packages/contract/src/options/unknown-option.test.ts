import { expect, test } from 'vitest';
import { nearestName, unknownOption } from './unknown-option.js';

const known = { retentionMs: true, leaseMs: true, retry: true };

test('options that are all known, none and no options at all say nothing', () => {
  for (const options of [undefined, {}, { leaseMs: 1, retry: {} }, { leaseMs: undefined }])
    expect(unknownOption('idempotent', options, known)).toBeUndefined();
});

test('an option that nobody knows is named, with the one that was meant', () => {
  expect(unknownOption('idempotent', { leaseMs: 1, leaseMS: 1 }, known)).toBe(
    'idempotent({ leaseMS }): there is no such option, did you mean leaseMs?; there are retentionMs, leaseMs, retry',
  );
});

test('one that is near nothing is named with those that there are', () => {
  expect(unknownOption('implement', { colour: 1 }, { procedure: true })).toBe(
    'implement({ colour }): there is no such option; there is procedure',
  );
});

test.each([
  [null, 'null'],
  ['once:', 'a string'],
  [5, 'a number'],
  [['leaseMs'], 'a list'],
])('what is no options at all is called what it is: %j', (options, what) => {
  expect(unknownOption('redisClaims', options, { prefix: true })).toBe(
    `redisClaims: its options are an object with any of prefix, not ${what}`,
  );
});

test('a name that every object has is not taken for an option', () => {
  expect(unknownOption('x', { constructor: 1 }, known)).toContain('x({ constructor })');
});

test.each([
  ['leaseMS', 'leaseMs'],
  ['lease_ms', 'leaseMs'],
  ['lease', 'leaseMs'],
  ['laesems', 'leaseMs'],
  ['retain', undefined],
  ['retension', 'retentionMs'],
  ['x', undefined],
  ['retries', 'retry'],
  ['retention', 'retentionMs'],
])('%s was meant to be %s', (name, meant) => {
  expect(nearestName(name, Object.keys(known))).toBe(meant);
});

test('where many names are nobody’s slip, fewer slips may be asked for', () => {
  const names = ['DATABASE_URL', 'REDIS_URL'];
  for (const meant of ['DATABASEURL', 'databaseUrl', 'DATABASE_ULR', 'DATABASE_URI'])
    expect(nearestName(meant, names, 1)).toBe('DATABASE_URL');
  for (const other of ['DATABASE_SSL', 'DATABASE_HOST', 'DATABASE', 'REDIS'])
    expect(nearestName(other, names, 1)).toBeUndefined();
});
