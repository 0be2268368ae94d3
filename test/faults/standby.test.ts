import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { expect, test } from 'vitest';
import { createBankTables, effects, type Sql } from '../bank/bank-tables.js';
import { startBank } from '../bank/index.js';
import { oneEuro, send } from '../bank/send.js';
import { done, draft, rejection } from '../conformance/records-suite.js';
import { startPostgres, until } from '../resources/index.js';
import { said } from './answer.js';

/**
 * A standby lags: what it has not, the primary may have. This one is a server that was made a standby while it was down,
 * as after a failover, and is promoted again at the end.
 */
test('on a standby what is there counts, and what is not there proves nothing: unavailable, never released or refused for good', async () => {
  await using postgres = await startPostgres();
  const pool = new Pool({ connectionString: postgres.url, pipeline: true } as object);
  pool.on('error', () => {});
  try {
    const db = pool as Sql;
    await createBankTables(db);
    const records = postgresRecords(pool);
    await using bank = await startBank({ db, records: records as never, once: { lookAfterMs: 0 } });
    await bank.once.migrate();
    const ask = (key: string) => send(bank.url, 'transfer', oneEuro, { key });
    const settled = await ask('k1');
    expect(said(settled)).toBe('settled');
    const directory = (await db.query('SHOW data_directory')).rows[0].data_directory;

    await postgres.stop();
    writeFileSync(join(directory, 'standby.signal'), '');
    await postgres.start();
    await until(
      () =>
        db.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      { what: 'the standby answers' },
    );

    const again = await ask('k1');
    expect(said(again)).toBe('replayed');
    expect(again.text).toBe(settled.text);
    expect(said(await ask('k2'))).toBe('STORE_UNAVAILABLE');
    const k2 = { ...draft, id: { ...draft.id, key: 'k2' } };
    const asked = [records.read(k2.id), records.probe(k2.id), records.transact(k2, async () => done)];
    for (const error of await Promise.all(asked.map(rejection))) expect(error.name).toBe('StandbyError');
    expect(bank.events).toContainEqual(
      expect.objectContaining({
        type: 'records-failed',
        error: expect.objectContaining({ name: 'StandbyError' }),
      }),
    );
    // The connection that led there is given up, so that the next may lead to the primary.
    const connections = pool.totalCount;
    await rejection(records.transact(k2, async () => done));
    expect(pool.totalCount).toBe(connections - 1);

    await db.query('SELECT pg_promote(true, 30)');
    const late = await until(
      async () => {
        const answer = await ask('k2');
        return said(answer) === 'settled' && answer;
      },
      { withinMs: 20_000, what: 'it is a primary again' },
    );
    expect((await ask('k2')).text).toBe(late.text);
    expect(await effects(db)).toBe(2);
  } finally {
    await pool.end();
  }
});
