import { findPgBouncer, type PgBouncerOptions, pgBouncerVersion } from '@trpc-once/local-services';
import { postgresRecords } from '@trpc-once/server';
import { describe, expect, test } from 'vitest';
import { effects, oneEuro, send, totalCents } from '../bank/index.js';
import { until } from '../resources/index.js';
import { type BehindOptions, behindPgBouncer } from './behind-pgbouncer.js';
import { sameAnswers } from './same-answers.js';

const binary = findPgBouncer();
const [major, minor] = binary ? pgBouncerVersion(binary) : [0, 0];
const followsPrepared = major > 1 || (major === 1 && minor >= 21);
const installed = `PgBouncer ${major}.${minor} is installed`;

/** Why a mode cannot be tried here; `undefined` where it can. */
const modes = [
  {
    mode: 'prepared statements fail',
    settings: (followsPrepared ? { max_prepared_statements: 0 } : {}) as PgBouncerOptions['settings'],
    skipped: binary ? undefined : 'no pgbouncer is installed',
  },
  {
    mode: 'prepared statements are followed',
    settings: { max_prepared_statements: 100 },
    skipped: followsPrepared
      ? undefined
      : `needs PgBouncer 1.21, ${binary ? installed : 'and none is installed'}`,
  },
].flatMap((each) => [false, true].map((pipeline) => ({ ...each, pipeline })));

for (const { mode, settings, pipeline, skipped } of modes)
  describe.skipIf(skipped !== undefined)(
    `through PgBouncer in transaction mode, where ${mode}, with ${pipeline ? 'a pipelining' : 'a plain'} pool${skipped ? ` (skipped: ${skipped})` : ''}`,
    () => {
      const open = (more: Partial<BehindOptions> = {}) =>
        behindPgBouncer({ ...(settings && { settings }), pipeline, ...more });

      test('50 at once over two instances take effect once, and none is a 5xx', async () => {
        await using bank = await open({ instances: 2 });
        const answers = sameAnswers();
        const sent = await Promise.all(
          Array.from({ length: 50 }, (_, n) => answers.ask(bank.instances[n % 2]!.url, 'k1', 30_000)),
        );
        for (const { status, text } of sent) expect([200, 409], text).toContain(status);
        await answers.outcome(bank.url, 'k1');
        expect(await effects(bank.db)).toBe(1);
      });

      test('50 different ones at once all take effect once, and run again for nothing but a statement that was not there', async () => {
        await using bank = await open({ instances: 2 });
        for (const round of ['first', 'second']) {
          const sent = await Promise.all(
            Array.from({ length: 50 }, (_, n) =>
              send(bank.instances[n % 2]!.url, 'tick', undefined, { key: `${round}-${n}` }),
            ),
          );
          for (const { status, text } of sent) expect(status, text).toBe(200);
        }
        expect(await effects(bank.db)).toBe(100);
        const runAgain = bank.instances.flatMap(({ events }) =>
          events.flatMap((event) => (event.type === 'run-again' ? [event] : [])),
        );
        // All of them share ten connections, so that somebody's statement is always somewhere else, or there before it.
        expect(runAgain.length > 0).toBe(mode === 'prepared statements fail');
        for (const { error } of runAgain) expect((error as { code?: string }).code).toMatch(/26000|42P05/);
        // Once an instance has met that, it sends its statements without a name, and it is over.
        expect(runAgain.filter(({ call }) => call.key.startsWith('second'))).toEqual([]);
      });

      test('records can be read by many at once, and a statement that is not there is no reason to fail', async () => {
        await using bank = await open();
        const pool = bank.database.pool({ connectionString: bank.through, pipeline, max: 20 } as object);
        const records = postgresRecords(pool);
        const read = await Promise.all(
          Array.from({ length: 60 }, (_, n) => records.read({ scope: '["ann"]', key: `k${n}` })),
        );
        expect(read).toEqual(Array(60).fill(undefined));
      });

      test('a call leaves nothing behind in the session: no setting, no hold', async () => {
        await using bank = await open({ max: 1 });
        await send(bank.url, 'transfer', oneEuro);
        // PgBouncer lends the connection that it got back last.
        const pool = bank.database.pool({ connectionString: bank.through });
        const { rows } =
          await pool.query(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS holds`);
        expect(rows[0]).toMatchObject({ idle: '0', holds: 0 });
      });

      test('killed and started again in mid-run: every answer is the outcome or says that there is none yet, and all take effect once', async () => {
        await using bank = await open({ instances: 2 });
        const answers = sameAnswers();
        const keys = Array.from({ length: 30 }, (_, n) => `k${n}`);
        let answered = 0;
        const asking = Promise.all(
          keys.map((key, n) =>
            until(
              async () => {
                const { status, text, body } = await answers.ask(bank.instances[n % 2]!.url, key, 20_000);
                answered += 1;
                if (status === 200) return true;
                expect([409, 500, 503], text).toContain(status);
                const { refusal, settlement } = body.error.data.idempotency;
                expect(refusal ?? settlement).toMatch(/IN_PROGRESS|STORE_UNAVAILABLE|released|unknown/);
                return false;
              },
              { withinMs: 40_000, everyMs: 50, what: `${key} has an outcome` },
            ),
          ),
        );
        asking.catch(() => {});
        await until(() => answered >= 3, { what: 'it is in mid-run' });
        await bank.pgbouncer.restart();
        await asking;
        for (const key of keys) await answers.outcome(bank.url, key);
        expect(await effects(bank.db)).toBe(keys.length);
        for (const key of keys) expect(await effects(bank.db, key)).toBe(1);
        expect(await totalCents(bank.db)).toBe(200_000);
      });
    },
  );
