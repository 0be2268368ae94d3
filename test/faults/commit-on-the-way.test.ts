import { tcpProxy } from '@trpc-once/faulty-network';
import { postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, send, startBank } from '../bank/index.js';
import { until } from '../resources/index.js';
import { said } from './answer.js';
import { Operation } from './operation.js';
import { openSurvivor } from './survivor.js';
import { spawnVictim } from './victim.js';

/** Its process is past helping, but what it has sent is on the way, and the network delivers it in its own time. */
for (const fate of ['killed', 'frozen'] as const)
  test(`${fate} while its COMMIT is on the way: nobody else runs, and what arrives at last is everybody's outcome`, async () => {
    await using survivor = await openSurvivor(new Set());
    await using victim = await spawnVictim(survivor.bank);
    const operation = new Operation({ point: 'ran' }, 'k1');
    await operation.bring(victim);
    victim.postgres.pause();
    const passed = victim.postgres.counts().bytes['to-upstream'];
    victim.goOn();
    await victim.wentOn();
    if (fate === 'killed') await victim.kill();
    else victim.pause();

    await until(async () => (await survivor.bank.claimKeys()).length === 0, { what: 'the lease ends' });
    for (let n = 0; n < 3; n++) expect(said(await operation.ask(survivor.bank.url))).toBe('IN_PROGRESS');
    expect(victim.postgres.counts().bytes['to-upstream']).toBe(passed);

    victim.postgres.resume();
    await operation.askForOutcome(survivor.bank.url);
    victim.resume();
    await operation.victims;
    const outcomes = operation.answers.filter(({ status }) => status === 200);
    expect(new Set(outcomes.map(({ text }) => text)).size).toBe(1);
    const { rows } = await survivor.bank.db.query('SELECT by FROM effect_origins');
    expect(rows).toEqual([{ by: 'victim' }]);
    expect(await effects(survivor.bank.db)).toBe(1);
  });

test('its COMMIT is stuck on the way while fresh connections look for the record: they wait for it to end, and guess nothing', async () => {
  await using bank = await openBank();
  const { hostname: host, port } = new URL(bank.database.url);
  await using slow = await tcpProxy({ upstream: { host, port: Number(port) } });
  const slowUrl = Object.assign(new URL(bank.database.url), { hostname: slow.host, port: slow.port }).href;
  const pool = bank.database.pool({ connectionString: slowUrl, pipeline: true } as object);
  let probes = 0;
  await using instance = await startBank({
    db: pool,
    records: postgresRecords(pool, { answerTimeoutMs: 200 }) as never,
    faults(point) {
      if (point === 'probed') probes++;
      if (point !== 'ran') return;
      slow.pause();
      // What connects from now on takes another way.
      pool.options.connectionString = bank.database.url;
    },
  });
  const asked = send(instance.url, 'transfer', oneEuro, { key: 'k1' });
  await until(() => probes >= 3, { what: 'it looks for the record again and again' });
  expect(said(await send(bank.url, 'transfer', oneEuro, { key: 'k1' }))).toBe('IN_PROGRESS');
  slow.resume();
  const answer = await asked;
  expect(said(answer)).toBe('replayed');
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(answer.text);
  expect(await effects(bank.db)).toBe(1);
});
