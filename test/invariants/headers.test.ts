import { expect, test } from 'vitest';
import { effects, openBank, send } from '../bank/index.js';

test('a header that the handler set is replayed, from Redis and from the record', async () => {
  await using bank = await openBank({
    hooks: { headers: (headers) => headers.set('Location', '/orders/17') },
  });
  const first = await send(bank.url, 'echo', 1, { key: 'k1' });
  expect(first.headers.get('location')).toBe('/orders/17');
  for (const flushed of [false, true]) {
    if (flushed) await bank.flushClaims();
    Object.assign(bank.bank.hooks, { headers: undefined });
    const again = await send(bank.url, 'echo', 1, { key: 'k1' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe('/orders/17');
    expect(again.text).toBe(first.text);
  }
  expect(await effects(bank.db)).toBe(1);
});

test('a header that is not on the allow-list fails the call before the commit, and says what to do', async () => {
  await using bank = await openBank({ hooks: { headers: (headers) => headers.set('Set-Cookie', 'a=b') } });
  const answer = await send(bank.url, 'echo', 1, { key: 'k1' });
  expect(answer.status).toBe(500);
  expect(answer.body.error.message).toContain('replayedHeaders');
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await effects(bank.db)).toBe(0);
});

test('an allow-list that names Set-Cookie is refused at the start', async () => {
  await expect(openBank({ once: { replayedHeaders: ['Set-Cookie'] } })).rejects.toThrow('set-cookie');
});
