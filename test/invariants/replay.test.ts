import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send } from '../bank/index.js';

test('a repeated request takes effect once and is answered with the same bytes', async () => {
  await using bank = await openBank();
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(first.status).toBe(200);
  expect(first.headers.get('idempotency-status')).toBe('settled');
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(second.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-status')).toBe('replayed');
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db, 'k1')).toBe(1);
  expect(await recordsOf(bank.db)).toMatchObject([
    { key: 'k1', scope: '["ann"]', procedure: 'transfer', status: 'COMPLETED' },
  ]);
});

test('a quoted key and a bare one are the same key', async () => {
  await using bank = await openBank();
  const bare = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const quoted = await send(bank.url, 'transfer', oneEuro, { key: '"k1"' });
  expect(quoted.text).toBe(bare.text);
  expect(await effects(bank.db)).toBe(1);
});

test('a replay through another instance is the same', async () => {
  await using bank = await openBank({ instances: 2 });
  const [one, two] = bank.instances;
  const first = await send(one!.url, 'transfer', oneEuro, { key: 'k1' });
  const second = await send(two!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.text).toBe(first.text);
  expect(await effects(bank.db)).toBe(1);
});

test('a retry without any claim store replays from the record', async () => {
  await using bank = await openBank({ claims: 'none' });
  const first = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db)).toBe(1);
});

test('an output of undefined, of null and of text that JSON must escape replays to the byte', async () => {
  await using bank = await openBank();
  for (const [path, input] of [
    ['tick', undefined],
    ['echo', null],
    ['echo', { b: 1, a: 'ünïcödé "quoted" \u0000 \ud83d\ude00', '2': [], '1': {} }],
  ] as const) {
    const key = `k-${path}-${JSON.stringify(input)?.length}`;
    const first = await send(bank.url, path, input, { key });
    const second = await send(bank.url, path, input, { key });
    expect(first.status, first.text).toBe(200);
    expect(second.text).toBe(first.text);
    await bank.flushClaims();
    expect((await send(bank.url, path, input, { key })).text).toBe(first.text);
    expect(await effects(bank.db, key)).toBe(1);
  }
});

test('an outcome too large for Redis replays from the record', async () => {
  await using bank = await openBank();
  const large = { text: 'x'.repeat(100_000) };
  const first = await send(bank.url, 'echo', large, { key: 'k1' });
  const second = await send(bank.url, 'echo', large, { key: 'k1' });
  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db)).toBe(1);
});

test('an ordinary query needs no key and says nothing of idempotency', async () => {
  await using bank = await openBank();
  const response = await fetch(`${bank.url}/balance?input=${encodeURIComponent('"a"')}`);
  expect(await response.json()).toEqual({ result: { data: 100_000 } });
  expect(response.headers.get('idempotency-status')).toBeNull();
});

test('a caller on the server passes the key by hand and gets the same guarantees', async () => {
  await using bank = await openBank();
  const { bankRouter } = await import('../bank/bank-router.js');
  const router = bankRouter(bank.bank.once as never, bank.db, {});
  const caller = router.createCaller(bank.bank.once.withKey({ user: 'ann' }, 'k1'));
  const first = await caller.transfer(oneEuro);
  expect(await caller.transfer(oneEuro)).toEqual(first);
  expect(await effects(bank.db)).toBe(1);
  await expect(router.createCaller({ user: 'ann' }).transfer(oneEuro)).rejects.toThrow('once.withKey');
});
