import { describe, expect } from 'vitest';
import { byAnother, claim, settled, type WithClaims } from './claims-fixtures.js';

/** The half of the suite that is about holding a claim over time, and hearing of its end. */
export function leaseSuite(withClaims: WithClaims): void {
  describe('renew', () => {
    withClaims('makes the lease as long again, and keeps when it began', async (claims) => {
      await claims.claim({ ...claim, leaseMs: 1_000 });
      expect(await claims.renew(claim)).toBe('RENEWED');
      const reply = await claims.claim(byAnother);
      expect(reply.kind === 'IN_PROGRESS' && reply.leftMs).toBeGreaterThan(25_000);
    });

    withClaims('does not reset the age of the operation', async (claims) => {
      await claims.claim(claim);
      const ageMs = async () => {
        const reply = await claims.claim(byAnother);
        return reply.kind === 'IN_PROGRESS' ? reply.ageMs : -1;
      };
      await expect.poll(ageMs, { timeout: 10_000 }).toBeGreaterThan(100);
      await claims.renew(claim);
      await claims.claim(claim);
      expect(await ageMs()).toBeGreaterThan(100);
    });

    withClaims('takes a claim anew that has vanished', async (claims, opened) => {
      await claims.claim(claim);
      await opened.forget();
      expect(await claims.renew(claim)).toBe('RENEWED');
      expect(await claims.claim(byAnother)).toMatchObject({ kind: 'IN_PROGRESS' });
      expect(await claims.claim({ ...byAnother, fingerprint: '1.other' })).toMatchObject({
        kind: 'MISMATCH',
      });
      await claims.release(claim);
      expect(await opened.isEmpty()).toBe(true);
    });

    withClaims('is lost to another owner, whose lease it does not touch', async (claims) => {
      await claims.claim({ ...byAnother, leaseMs: 1_000 });
      expect(await claims.renew(claim)).toBe('LOST');
      await expect.poll(() => claims.claim(claim), { timeout: 5_000 }).toEqual({ kind: 'ACQUIRED' });
    });

    withClaims('is lost to an outcome, which it does not touch', async (claims) => {
      await claims.claim(claim);
      await claims.settle({ ...settled, retainMs: 60_000 });
      expect(await claims.renew(claim)).toBe('LOST');
      expect(await claims.claim(claim)).toMatchObject({ kind: 'SETTLED' });
    });

    withClaims('holds off the end of a lease for as long as it is repeated', async (claims) => {
      const short = { ...claim, leaseMs: 1_000 };
      await claims.claim(short);
      const until = performance.now() + 2_500;
      while (performance.now() < until) {
        expect(await claims.renew(short)).toBe('RENEWED');
        expect(await claims.claim(byAnother)).toMatchObject({ kind: 'IN_PROGRESS' });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
  });

  describe('watch', () => {
    withClaims(
      'whoever watches hears when the operation settles or is released, and nothing after he stopped',
      async (claims) => {
        for (const end of [() => claims.settle(settled), () => claims.release(claim)]) {
          await claims.claim(claim);
          let heard = 0;
          const stop = await claims.watch?.(claim.id, () => heard++);
          await end();
          await expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(0);
          stop?.();
          const before = heard;
          await claims.claim(claim);
          await claims.release(claim);
          await claims.settle({ ...settled, retainMs: 1 });
          await expect
            .poll(() => claims.claim({ ...claim, leaseMs: 1 }), { timeout: 10_000 })
            .toEqual({ kind: 'ACQUIRED' });
          expect(heard).toBe(before);
          await expect.poll(() => claims.claim(claim), { timeout: 10_000 }).toEqual({ kind: 'ACQUIRED' });
          await claims.release(claim);
        }
      },
    );

    withClaims('changes nothing of a claim, nor makes one', async (claims, opened) => {
      const stop = await claims.watch?.(claim.id, () => {});
      expect(await opened.isEmpty()).toBe(true);
      stop?.();
      await claims.claim({ ...claim, leaseMs: 1_000 });
      const stopAgain = await claims.watch?.(claim.id, () => {});
      await expect.poll(() => claims.claim(byAnother), { timeout: 5_000 }).toEqual({ kind: 'ACQUIRED' });
      stopAgain?.();
    });
  });
}
