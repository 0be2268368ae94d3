import { findPgBouncer } from '@trpc-once/local-services';
import { describe, expect, test } from 'vitest';
import { effects, oneEuro, send, spawnBank, totalCents } from '../bank/index.js';
import { signal } from '../invariants/signal.js';
import { freshRedis, until } from '../resources/index.js';
import { behindPgBouncer } from './behind-pgbouncer.js';
import { sameAnswers } from './same-answers.js';

const installed = findPgBouncer() !== undefined;

describe.skipIf(!installed)(
  `behind PgBouncer in transaction mode${installed ? '' : ' (skipped: no pgbouncer is installed)'}`,
  () => {
    test.each(['handler', 'settled'] as const)(
      'a server that is killed -9 at "%s" leaves nothing of an unfinished call, and another takes effect once',
      async (point) => {
        await using redis = await freshRedis();
        await using bank = await behindPgBouncer({});
        const stores = { database: { url: bank.through }, redisUrl: redis.url, redisPrefix: redis.prefix };
        await using victim = await spawnBank(stores);
        await victim.dieAt(point);
        await expect(send(victim.url, 'transfer', oneEuro, { key: 'k1' })).rejects.toThrow();
        expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
        // PgBouncer notices a client that is gone, and closes the connection whose transaction it left open.
        const answers = sameAnswers();
        await answers.outcome(bank.url, 'k1');
        await answers.outcome(bank.url, 'k1');
        expect(await effects(bank.db)).toBe(1);
        expect(await totalCents(bank.db)).toBe(200_000);
      },
    );

    test('whoever gets no connection in time, in the pool or from PgBouncer, is refused with 503 and may come again', async () => {
      for (const [records, query_wait_timeout] of [
        [{ connectTimeoutMs: 1_000 }, 120],
        [{ answerTimeoutMs: 1_000 }, 120],
        [{}, 1],
      ] as const) {
        const inside = signal();
        const goOn = signal();
        await using bank = await behindPgBouncer({
          settings: { default_pool_size: 1, query_wait_timeout },
          // The first is held up by its own pool, the others by PgBouncer's.
          ...{ records, instances: 2, max: 'connectTimeoutMs' in records ? 1 : 5 },
          hooks: {
            async before({ key }) {
              if (key !== 'slow') return;
              inside.give();
              await goOn.given;
            },
          },
        });
        const slow = send(bank.url, 'transfer', oneEuro, { key: 'slow' });
        await inside.given;
        const beganAt = performance.now();
        const waiting = await Promise.all(
          ['k1', 'k2', 'k1'].map((key) => send(bank.url, 'transfer', oneEuro, { key })),
        );
        expect(performance.now() - beganAt).toBeLessThan(15_000);
        for (const { status, body, headers } of waiting) {
          expect(status).toBe(503);
          expect(body.error.data.idempotency.refusal).toBe('STORE_UNAVAILABLE');
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        }
        goOn.give();
        expect((await slow).status).toBe(200);
        const answers = sameAnswers();
        for (const key of ['k1', 'k2', 'k1', 'slow'])
          await until(async () => (await answers.ask(bank.url, key)).status === 200, { everyMs: 50 });
        expect(await effects(bank.db)).toBe(3);
      }
    });

    test('who says that statements are not to be prepared has nothing run again', async () => {
      await using bank = await behindPgBouncer({ instances: 2, records: { prepared: false } });
      const sent = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          send(bank.instances[n % 2]!.url, 'tick', undefined, { key: `k${n}` }),
        ),
      );
      for (const { status, text } of sent) expect(status, text).toBe(200);
      expect(await effects(bank.db)).toBe(50);
      const told = bank.instances.flatMap(({ events }) => events.map(({ type }) => type));
      expect(told).not.toContain('run-again');
    });
  },
);
