import { expect, test } from 'vitest';
import type { Claim } from './claim-store.js';
import { memoryClaims } from './memory-claims.js';

// What every claim store has to do is in the conformance suite; here is what only this one does.

const claim = (key: string, ownerToken = 'one', scope = '["ann"]'): Claim => ({
  id: { scope, key },
  fingerprint: '1.abc',
  ownerToken,
  leaseMs: 1_000,
});

function atTime() {
  let now = 0;
  const claims = memoryClaims({ now: () => now });
  return {
    claims,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('a lease lasts to the millisecond, and no longer', async () => {
  const { claims, pass } = atTime();
  await claims.claim(claim('k1'));
  pass(999);
  expect(await claims.claim(claim('k1', 'two'))).toEqual({ kind: 'IN_PROGRESS', leftMs: 1, ageMs: 999 });
  pass(1);
  expect(await claims.claim(claim('k1', 'two'))).toEqual({ kind: 'ACQUIRED' });
});

test('a renewal counts from when it is made, and the age from the first claim', async () => {
  const { claims, pass } = atTime();
  await claims.claim(claim('k1'));
  pass(600);
  expect(await claims.renew(claim('k1'))).toBe('RENEWED');
  pass(900);
  expect(await claims.claim(claim('k1', 'two'))).toEqual({ kind: 'IN_PROGRESS', leftMs: 100, ageMs: 1_500 });
});

test('beyond its size the oldest entries are forgotten, and a renewed or settled one is not old', async () => {
  const claims = memoryClaims({ maxEntries: 2 });
  await claims.claim(claim('k1'));
  await claims.claim(claim('k2'));
  await claims.renew(claim('k1'));
  await claims.claim(claim('k3'));
  expect(await claims.claim(claim('k1', 'two'))).toMatchObject({ kind: 'IN_PROGRESS' });
  expect(await claims.claim(claim('k2', 'two'))).toEqual({ kind: 'ACQUIRED' });
});

test('scope and key cannot run into each other', async () => {
  const claims = memoryClaims();
  await claims.claim(claim('bc', 'one', 'a'));
  expect(await claims.claim(claim('c', 'two', 'ab'))).toEqual({ kind: 'ACQUIRED' });
  await claims.claim(claim('1', 'one', '1:a'));
  expect(await claims.claim(claim('a1', 'two', '1:'))).toEqual({ kind: 'ACQUIRED' });
});

test('closed, it holds nothing', async () => {
  const claims = memoryClaims();
  await claims.claim(claim('k1'));
  await claims.close();
  expect(await claims.claim(claim('k1', 'two'))).toEqual({ kind: 'ACQUIRED' });
});
