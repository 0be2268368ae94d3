import { expect, test } from 'vitest';
import { Session } from './session.js';

test('those who are refused together share one renewal, and one refused in the old session none', async () => {
  let renewals = 0;
  const session = new Session(async () => {
    renewals += 1;
    return true;
  });
  const before = session.renewals;
  expect(await Promise.all([session.renewedSince(before), session.renewedSince(before)])).toEqual([
    true,
    true,
  ]);
  expect(await session.renewedSince(before)).toBe(true);
  expect(renewals).toBe(1);
  expect(await session.renewedSince(session.renewals)).toBe(true);
  expect(renewals).toBe(2);
});

test('a renewal that says no, throws, or is not there has not worked, and can be tried again', async () => {
  const answers = [async () => false, () => Promise.reject(new Error('offline')), async () => true];
  const session = new Session(() => answers.shift()!());
  expect(await session.renewedSince(0)).toBe(false);
  expect(await session.renewedSince(0)).toBe(false);
  expect(await session.renewedSince(0)).toBe(true);
  expect(await new Session(undefined).renewedSince(0)).toBe(false);
});
