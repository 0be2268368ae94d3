import { expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, openBank, recordsOf, send } from '../bank/index.js';

test('another principal with the same key has an operation of its own, never the other one’s answer', async () => {
  await using bank = await openBank();
  const ann = await send(bank.url, 'transfer', oneEuro, { key: 'k1', user: 'ann' });
  const bob = await send(bank.url, 'transfer', { ...oneEuro, cents: 5 }, { key: 'k1', user: 'bob' });
  expect(ann.status).toBe(200);
  expect(bob.status).toBe(200);
  expect(bob.headers.get('idempotency-status')).toBe('settled');
  expect(bob.text).not.toBe(ann.text);
  expect(await effects(bank.db, 'k1')).toBe(2);
});

test('another principal’s operation in flight is no reason for a 409', async () => {
  const handler = heldHandler();
  let calls = 0;
  await using bank = await openBank({
    hooks: { before: () => (++calls === 1 ? handler.before() : undefined) },
  });
  const ann = send(bank.url, 'transfer', oneEuro, { key: 'k1', user: 'ann' });
  await handler.inside;
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1', user: 'bob' })).status).toBe(200);
  handler.goOn();
  expect((await ann).status).toBe(200);
});

test('nobody signed in is refused with 401 before any claim, and leaves no record', async () => {
  let principal: string | string[] | null | undefined;
  await using bank = await openBank({ once: { scope: () => principal } });
  // The last is what a principal of several parts comes to when nobody is there.
  for (principal of [null, undefined, '', [], ['', '']]) {
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(answer.status).toBe(401);
    expect(answer.body.error.data).toMatchObject({
      code: 'UNAUTHORIZED',
      idempotency: { refusal: 'SCOPE_MISSING' },
    });
  }
  expect(await bank.claimKeys()).toEqual([]);
  expect(await recordsOf(bank.db)).toEqual([]);
});

test('who is no longer allowed is not shown the outcome: the app’s middlewares run again on a replay', async () => {
  await using bank = await openBank({ once: { scope: () => 'one principal' } });
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  const banned = await send(bank.url, 'transfer', oneEuro, { key: 'k1', user: 'banned' });
  expect(banned.status).toBe(403);
  // Not "released": it stands in front of the claim, where nobody has looked what became of the operation.
  expect(banned.body.error.data).not.toHaveProperty('idempotency');
  expect(await effects(bank.db)).toBe(1);
});

test('a token that was rotated between attempts does not orphan the retry', async () => {
  await using bank = await openBank();
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1', headers: { authorization: 'old' } });
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1', headers: { authorization: 'new' } });
  expect(second.text).toBe(first.text);
  expect(await effects(bank.db)).toBe(1);
});

test('principals made of several parts cannot be taken for one another', async () => {
  let principal: string | string[] = ['a', 'b'];
  await using bank = await openBank({ once: { scope: () => principal } });
  for (principal of [['a', 'b'], ['a,b'], 'a,b', ['ab'], '["a","b"]', ['a', 'b', '']])
    await send(bank.url, 'tick', undefined, { key: 'k1' });
  // 'a,b' and ['a,b'] are the same principal; the rest are five others.
  expect(await effects(bank.db, 'k1')).toBe(5);
});
