import { postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import type { Sql } from '../bank/bank-tables.js';
import {
  effects,
  heldHandler,
  oneEuro,
  openBank,
  recordsOf,
  send,
  startBank,
  totalCents,
} from '../bank/index.js';
import { said } from '../faults/answer.js';

/**
 * Nothing keeps these two apart but the fence: the second names the schema that the first finds by the search path, so it
 * has claims and a hold of its own, and one table with the first.
 */
for (const first of ['slow', 'quick'] as const)
  test(`two runs overlap with nothing but the fence between them, and the ${first} one began first: one commits, the other’s writes roll back, both callers get one outcome`, async () => {
    const slow = heldHandler();
    const quick = heldHandler();
    await using bank = await openBank({ hooks: slow });
    await using other = await startBank({
      db: bank.db as Sql,
      records: postgresRecords(bank.db, { schema: 'public' }) as never,
      hooks: quick,
    });
    const ask = (url: string) => send(url, 'transfer', oneEuro, { key: 'k1' });
    const begin = {
      slow: async () => [ask(bank.url), await slow.inside] as const,
      quick: async () => [ask(other.url), await quick.inside] as const,
    };
    const [one] = await begin[first]();
    const [two] = await begin[first === 'slow' ? 'quick' : 'slow']();
    const [ofSlow, ofQuick] = first === 'slow' ? [one, two] : [two, one];
    quick.goOn();
    const committed = await ofQuick;
    expect(said(committed)).toBe('settled');
    slow.goOn();
    const fenced = await ofSlow;
    expect(said(fenced)).toBe('replayed');
    expect(fenced.text).toBe(committed.text);
    expect(bank.bank.events.map(({ type }) => type)).toContain('fenced');
    expect(await effects(bank.db)).toBe(1);
    expect(await recordsOf(bank.db)).toHaveLength(1);
    expect(await totalCents(bank.db)).toBe(200_000);
  });
