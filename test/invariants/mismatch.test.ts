import { expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, openBank, send } from '../bank/index.js';

const twoEuros = { ...oneEuro, cents: 200 };

for (const claims of ['redis', 'none'] as const)
  test(`another input with a settled key is refused with 422 and runs nothing (claims: ${claims})`, async () => {
    await using bank = await openBank({ claims });
    const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    const other = await send(bank.url, 'transfer', twoEuros, { key: 'k1' });
    expect(other.status).toBe(422);
    expect(other.body.error.data).toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      idempotency: { refusal: 'FINGERPRINT_MISMATCH', key: 'k1' },
    });
    expect(await effects(bank.db)).toBe(1);
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(first.text);
  });

test('another input with the key of a call in flight is refused with 422, not 409', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    hooks: handler,
  });
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  const other = await send(bank.url, 'transfer', twoEuros, { key: 'k1' });
  expect(other.status).toBe(422);
  expect(other.body.error.data.idempotency.refusal).toBe('FINGERPRINT_MISMATCH');
  handler.goOn();
  expect((await first).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test('the same key and input at another procedure is refused with 422', async () => {
  await using bank = await openBank();
  await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const other = await send(bank.url, 'refund', oneEuro, { key: 'k1' });
  expect(other.status).toBe(422);
  expect(await effects(bank.db)).toBe(1);
});

test('the same input with its properties in another order is a replay, nested ones too', async () => {
  await using bank = await openBank();
  const first = await send(bank.url, 'echo', { a: 1, b: { c: [1, { d: 2, e: 3 }] } }, { key: 'k1' });
  const second = await send(bank.url, 'echo', { b: { c: [1, { e: 3, d: 2 }] }, a: 1 }, { key: 'k1' });
  expect(second.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(await effects(bank.db)).toBe(1);
});

test('null and missing are different inputs; so are arrays in another order', async () => {
  await using bank = await openBank();
  await send(bank.url, 'echo', { a: null }, { key: 'k1' });
  expect((await send(bank.url, 'echo', {}, { key: 'k1' })).status).toBe(422);
  await send(bank.url, 'echo', [1, 2], { key: 'k2' });
  expect((await send(bank.url, 'echo', [2, 1], { key: 'k2' })).status).toBe(422);
  expect(await effects(bank.db)).toBe(2);
});

test('void, undefined and absent input have one fingerprint, and null another', async () => {
  await using bank = await openBank();
  const first = await send(bank.url, 'tick', undefined, { key: 'k1' });
  expect(first.status, first.text).toBe(200);
  expect((await send(bank.url, 'tick', undefined, { key: 'k1', rawBody: '' })).text).toBe(first.text);
  expect((await send(bank.url, 'echo', undefined, { key: 'k2' })).status).toBe(200);
  expect((await send(bank.url, 'echo', null, { key: 'k2' })).status).toBe(422);
  expect(await effects(bank.db)).toBe(2);
});
