import { expect, test } from 'vitest';
import { effects } from '../bank/index.js';
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
