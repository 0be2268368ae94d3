import { findSystemPostgres, type LocalPostgres, startPostgres } from '@trpc-once/local-services';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effects, send, totalCents } from '../bank/index.js';
import { openPostgres } from '../conformance/records-stores.js';
import { recordsSuite } from '../conformance/records-suite.js';
import { bankOver } from './bank-over.js';
import { sameAnswers } from './same-answers.js';

const home15 = findSystemPostgres(15);

describe.each([
  {
    version: 15,
    from: 'the system’s packages',
    start: () => startPostgres({ home: home15 as string }),
    skipped: home15 ? '' : ' (skipped: Postgres 15 is not installed)',
  },
  { version: 18, from: 'npm', start: () => startPostgres(), skipped: '' },
])('Postgres $version from $from$skipped', ({ version, start, skipped }) => {
  describe.skipIf(skipped !== '')('holds records', () => {
    let postgres: LocalPostgres;
    beforeAll(async () => {
      postgres = await start();
    });
    afterAll(() => postgres?.[Symbol.asyncDispose]());

    // Whether statements wait for each other is a matter of the driver, which the run's own Postgres is used for.
    recordsSuite(() => openPostgres(true, postgres.url));

    test('in a table whose bodies are compressed with lz4 where it can, and that is made all the same where it cannot', async () => {
      await using opened = await openPostgres(true, postgres.url);
      const { rows } =
        await opened.db.query(`SELECT current_setting('server_version_num')::int / 10000 AS major,
          'lz4' = ANY (enumvals) AS has_lz4,
          (SELECT attcompression::text FROM pg_attribute
             WHERE attrelid = 'idempotency_records'::regclass AND attname = 'response_body') AS compression
        FROM pg_settings WHERE name = 'default_toast_compression'`);
      expect(rows[0].major).toBe(version);
      expect(rows[0].compression).toBe(rows[0].has_lz4 ? 'l' : '');
      // A second instance, and the same one after a restart, find everything there.
      await opened.records.migrate();
    });

    test('50 at once over two instances take effect once, and 50 different ones all do', async () => {
      await using bank = await bankOver({ instances: 2, serverUrl: postgres.url });
      const answers = sameAnswers();
      const same = await Promise.all(
        Array.from({ length: 50 }, (_, n) => answers.ask(bank.instances[n % 2]!.url, 'k1', 30_000)),
      );
      for (const { status, text } of same) expect([200, 409], text).toContain(status);
      await answers.outcome(bank.url, 'k1');
      expect(await effects(bank.db)).toBe(1);
      expect(await totalCents(bank.db)).toBe(200_000);
      const different = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          send(bank.instances[n % 2]!.url, 'tick', undefined, { key: `tick-${n}` }),
        ),
      );
      for (const { status, text } of different) expect(status, text).toBe(200);
      expect(await effects(bank.db)).toBe(51);
    });
  });
});
