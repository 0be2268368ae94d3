import { describe, expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send, spawnBank, totalCents } from '../bank/index.js';
import { until } from '../resources/index.js';
import { sameAnswers } from './same-answers.js';

/** 50 of something at once, spread over the instances. */
const fifty = <T>(run: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 50 }, (_, n) => run(n)));

describe.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'where transactions are %s unless they say otherwise',
  (isolation) => {
    // Without claims, so that every one of them gets as far as Postgres.
    test('50 at once with one key take effect once; every loser gets 409 or the replay, none a 5xx', async () => {
      await using bank = await openBank({ instances: 2, claims: 'none', isolation });
      const answers = sameAnswers();
      for (const key of ['k1', 'k2']) {
        const sent = await fifty((n) => answers.ask(bank.instances[n % 2]!.url, key, 30_000));
        const settled = sent.filter(({ headers }) => headers.get('idempotency-status') === 'settled');
        expect(settled).toHaveLength(1);
        for (const { status, body, text } of sent) {
          if (status === 200) continue;
          expect(status, text).toBe(409);
          expect(body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
        }
        expect(await effects(bank.db, key)).toBe(1);
      }
      expect(await totalCents(bank.db)).toBe(200_000);
    });

    test('50 at once with keys of their own, which touch nothing in common, all take effect at once', async () => {
      await using bank = await openBank({ instances: 2, claims: 'none', isolation });
      for (const round of ['first', 'second']) {
        const sent = await fifty((n) =>
          send(bank.instances[n % 2]!.url, 'tick', undefined, { key: `${round}-${n}` }),
        );
        for (const { status, text } of sent) expect(status, text).toBe(200);
      }
      expect(await effects(bank.db)).toBe(100);
    });

    test('50 at once that all change the same two rows: whoever loses too often is told so, nothing of it is kept, and asking again settles it', async () => {
      await using bank = await openBank({ instances: 2, isolation });
      const answers = sameAnswers();
      await fifty((n) =>
        until(
          async () => {
            const { status, body, text } = await answers.ask(bank.instances[n % 2]!.url, `k${n}`, 30_000);
            if (status === 200) return true;
            const { refusal, settlement } = body.error.data.idempotency;
            expect(refusal ?? settlement, text).toMatch(/^(?:IN_PROGRESS|STORE_UNAVAILABLE|released)$/);
            return false;
          },
          { withinMs: 50_000, everyMs: 20 + n, what: `k${n} takes effect` },
        ),
      );
      expect(await effects(bank.db)).toBe(50);
      expect(await recordsOf(bank.db)).toHaveLength(50);
      expect(await totalCents(bank.db)).toBe(200_000);
    });

    test('one of two servers is killed -9 while both are asked for the same 20 operations: each takes effect once', async () => {
      await using bank = await openBank({ isolation });
      await using victim = await spawnBank(bank);
      const answers = sameAnswers();
      const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
      const atBoth = Promise.all(
        keys.flatMap((key) => [
          send(victim.url, 'transfer', oneEuro, { key }).catch(() => undefined),
          answers.ask(bank.url, key, 30_000),
        ]),
      );
      await until(async () => (await effects(bank.db)) >= 3, { what: 'some have taken effect' });
      await victim.kill();
      await atBoth;
      await Promise.all(
        keys.map((key) =>
          until(async () => (await answers.ask(bank.url, key, 30_000)).status === 200, {
            ...{ withinMs: 50_000, everyMs: 100, what: `${key} has an outcome` },
          }),
        ),
      );
      for (const key of keys) expect(await effects(bank.db, key)).toBe(1);
      expect(await totalCents(bank.db)).toBe(200_000);
    });
  },
);
