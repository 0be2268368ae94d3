import { expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, openBank, send } from '../bank/index.js';
import { said } from './answer.js';

/** Transactions that found the operation held or settled write nothing, so what became of their COMMIT is all one. */

test('held off, and the end of its empty transaction goes unheard: IN_PROGRESS at once, not unknown', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    claims: 'none',
    hooks: handler,
  });
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  const lost = bank.network.cutBefore('COMMIT', 'to-client');
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(await lost).toBe(true);
  expect(said(second)).toBe('IN_PROGRESS');
  handler.goOn();
  expect(said(await first)).toBe('settled');
  expect(await effects(bank.db)).toBe(1);
});

test('found settled, and the end of its empty transaction goes unheard: replayed without asking again', async () => {
  await using bank = await openBank({ claims: 'none' });
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const lost = bank.network.cutBefore('COMMIT', 'to-client');
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(await lost).toBe(true);
  expect(said(second)).toBe('replayed');
  expect(second.text).toBe(first.text);
  expect(bank.bank.events.some(({ type }) => type === 'commit-unknown')).toBe(false);
});
