import type { Outcome } from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import { byAnother, claim, completed, type OpenClaims, settled, type WithClaims } from './claims-fixtures.js';
import { leaseSuite } from './claims-lease-suite.js';

/** What every claim store has to do, whatever it is made of. */
export function claimsSuite(open: () => Promise<OpenClaims>): void {
  const withClaims: WithClaims = (name, run) =>
    test(name, async () => {
      await using opened = await open();
      await run(opened.claims, opened);
    });

  describe('claim', () => {
    withClaims(
      'who asks first has it, and whoever asks then is told how long it is held and since when',
      async (claims) => {
        expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
        const reply = await claims.claim(byAnother);
        if (reply.kind !== 'IN_PROGRESS') return expect.fail(`not ${reply.kind}`);
        expect(reply.leftMs).toBeGreaterThan(25_000);
        expect(reply.leftMs).toBeLessThanOrEqual(30_000);
        expect(reply.ageMs).toBeGreaterThanOrEqual(0);
        expect(reply.ageMs).toBeLessThan(5_000);
      },
    );

    withClaims('of fifty who ask at once one has it', async (claims) => {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) => claims.claim({ ...claim, ownerToken: `owner ${n}` })),
      );
      expect(replies.filter(({ kind }) => kind === 'ACQUIRED')).toHaveLength(1);
      expect(replies.filter(({ kind }) => kind === 'IN_PROGRESS')).toHaveLength(49);
    });

    withClaims('its owner is recognised when it asks again because the reply was lost', async (claims) => {
      await claims.claim(claim);
      expect(await claims.claim(claim)).toEqual({ kind: 'ACQUIRED' });
      expect(await claims.claim(byAnother)).toMatchObject({ kind: 'IN_PROGRESS' });
    });

    withClaims(
      'another input is a mismatch before anything else: in progress, settled, and for the owner',
      async (claims) => {
        const otherInput = { ...byAnother, fingerprint: '1.other' };
        const mismatch = { kind: 'MISMATCH', fingerprint: '1.abc' };
        await claims.claim(claim);
        expect(await claims.claim(otherInput)).toEqual(mismatch);
        expect(await claims.claim({ ...otherInput, ownerToken: claim.ownerToken })).toEqual(mismatch);
        await claims.settle(settled);
        expect(await claims.claim(otherInput)).toEqual(mismatch);
      },
    );

    withClaims('a lease that nobody renews ends by itself, and the next has it', async (claims, opened) => {
      await claims.claim({ ...claim, leaseMs: 1_000 });
      expect(await claims.claim(byAnother)).toMatchObject({ kind: 'IN_PROGRESS' });
      await expect.poll(() => claims.claim(byAnother), { timeout: 5_000 }).toEqual({ kind: 'ACQUIRED' });
      await claims.release(byAnother);
      expect(await opened.isEmpty()).toBe(true);
    });

    withClaims('operations of other principals and other keys are their own', async (claims) => {
      const ids = [
        ['["ann"]', 'k1'],
        ['["ann"]', 'k2'],
        ['["bob"]', 'k1'],
        ['["ann"]k', '1'],
        ['', '["ann"]k1'],
        ['["an', 'n"]k1'],
      ].map(([scope, key]) => ({ scope: scope as string, key: key as string }));
      for (const id of ids) expect(await claims.claim({ ...claim, id })).toEqual({ kind: 'ACQUIRED' });
    });
  });

  describe('settle', () => {
    withClaims('what settled is told to whoever asks, the owner too', async (claims) => {
      await claims.claim(claim);
      await claims.settle(settled);
      for (const asking of [claim, byAnother])
        expect(await claims.claim(asking)).toEqual({ kind: 'SETTLED', outcome: completed });
    });

    withClaims(
      'an outcome is given back as it was: empty, long, odd, failed, with headers',
      async (claims) => {
        const outcomes: Outcome[] = [
          { status: 'COMPLETED', body: '' },
          { status: 'COMPLETED', body: '"\u0000 ünï 語 😀 \\" \n"' },
          { status: 'COMPLETED', body: 'x'.repeat(65_536) },
          { status: 'FAILED', code: 'CONFLICT', body: '{"message":"no"}' },
          { status: 'FAILED', code: 'CONFLICT', body: '' },
          { status: 'COMPLETED', body: '1', headers: '{"location":"/orders/1"}' },
          { status: 'FAILED', code: 'NOT_FOUND', body: '1', headers: '{"link":"</a>"}' },
        ];
        for (const outcome of outcomes) {
          await claims.settle({ ...settled, outcome });
          expect(await claims.claim(claim)).toEqual({ kind: 'SETTLED', outcome });
        }
      },
    );

    withClaims(
      'needs no claim, and takes nobody’s word but the record’s: an outcome stands over any claim',
      async (claims) => {
        await claims.settle(settled);
        expect(await claims.claim(claim)).toEqual({ kind: 'SETTLED', outcome: completed });
        await claims.claim({ ...byAnother, id: { ...claim.id, key: 'k2' } });
        await claims.settle({ ...settled, id: { ...claim.id, key: 'k2' } });
        expect(await claims.claim({ ...claim, id: { ...claim.id, key: 'k2' } })).toMatchObject({
          kind: 'SETTLED',
        });
      },
    );

    withClaims('is remembered for as long as it is said, and no longer', async (claims, opened) => {
      await claims.settle({ ...settled, retainMs: 1_000 });
      expect(await claims.claim(claim)).toMatchObject({ kind: 'SETTLED' });
      await expect
        .poll(() => claims.claim({ ...claim, leaseMs: 1 }), { timeout: 5_000 })
        .toEqual({ kind: 'ACQUIRED' });
      await expect.poll(() => opened.isEmpty(), { timeout: 5_000 }).toBe(true);
    });

    withClaims('of something whose retention is over leaves nothing', async (claims, opened) => {
      for (const retainMs of [0, -5_000, -0.5]) await claims.settle({ ...settled, retainMs });
      await expect.poll(() => opened.isEmpty(), { timeout: 5_000 }).toBe(true);
    });

    withClaims('takes a retention that is no whole number of milliseconds', async (claims) => {
      await claims.settle({ ...settled, retainMs: 59_999.987 });
      expect(await claims.claim(claim)).toMatchObject({ kind: 'SETTLED' });
    });
  });

  describe('release', () => {
    withClaims('lets the next have it at once', async (claims, opened) => {
      await claims.claim(claim);
      await claims.release(claim);
      expect(await opened.isEmpty()).toBe(true);
      expect(await claims.claim(byAnother)).toEqual({ kind: 'ACQUIRED' });
    });

    withClaims('by a stale owner takes nothing from whoever has it now', async (claims) => {
      await claims.claim(byAnother);
      await claims.release(claim);
      expect(await claims.claim(claim)).toMatchObject({ kind: 'IN_PROGRESS' });
    });

    withClaims('of what has settled, or was never claimed, changes nothing', async (claims, opened) => {
      await claims.release(claim);
      expect(await opened.isEmpty()).toBe(true);
      await claims.claim(claim);
      await claims.settle(settled);
      await claims.release(claim);
      expect(await claims.claim(byAnother)).toMatchObject({ kind: 'SETTLED' });
    });
  });

  leaseSuite(withClaims);
}
