import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { OutcomeSeal } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send } from '../bank/index.js';
import { until } from '../resources/index.js';

/** AES-256-GCM, bound to the operation. */
function aesSeal(secret: Buffer): OutcomeSeal {
  const aad = (about: object): Buffer => Buffer.from(JSON.stringify(about));
  return {
    seal(body, about) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(aad(about));
      const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12))
        .setAAD(aad(about))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

test('sealed outcomes are unreadable in both stores and replay the same from either', async () => {
  await using bank = await openBank({ once: { seal: aesSeal(randomBytes(32)) } });
  const secret = { pin: 'top-secret-4711' };
  const first = await send(bank.url, 'echo', secret, { key: 'k1' });
  expect(first.body.result.data).toEqual(secret);
  await until(async () => (await bank.claimKeys()).length === 1, { withinMs: 5_000, what: 'Redis is told' });
  const [record] = await recordsOf(bank.db);
  expect(JSON.stringify(record)).not.toContain('4711');
  expect(JSON.stringify(await bank.claimEntries())).not.toContain('4711');
  expect((await send(bank.url, 'echo', secret, { key: 'k1' })).text).toBe(first.text);
  await bank.flushClaims();
  expect((await send(bank.url, 'echo', secret, { key: 'k1' })).text).toBe(first.text);
  expect(await effects(bank.db)).toBe(1);
});

test('a sealed outcome that was moved to another key, or whose secret is lost, is answered 503 unknown and never run again', async () => {
  await using bank = await openBank({ once: { seal: aesSeal(randomBytes(32)) } });
  await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await send(bank.url, 'transfer', oneEuro, { key: 'k2' });
  await bank.db.query(
    `UPDATE idempotency_records SET response_body = (SELECT response_body FROM idempotency_records WHERE key = 'k1') WHERE key = 'k2'`,
  );
  await until(async () => (await bank.claimKeys()).length === 2, { withinMs: 5_000, what: 'Redis is told' });
  await bank.flushClaims();
  const moved = await send(bank.url, 'transfer', oneEuro, { key: 'k2' });
  expect(moved.status).toBe(503);
  expect(moved.body.error.data.idempotency.settlement).toBe('unknown');
  expect(bank.bank.events.some(({ type }) => type === 'unreadable')).toBe(true);
  expect(await effects(bank.db, 'k2')).toBe(1);
});

test('a seal that gives no text that can be kept fails the call before the commit, and says so', async () => {
  let given: unknown;
  const seal = { seal: () => given as string, open: (text: string) => text };
  await using bank = await openBank({ once: { seal } });
  for (given of [undefined, null, 5, Buffer.from('a'), 'a\u0000b']) {
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(answer.status).toBe(500);
    expect(answer.body.error.message).toContain('seal() must give a text');
    expect(answer.body.error.data.idempotency.settlement).toBe('released');
  }
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toEqual([]);
});

test('a declared error is sealed too', async () => {
  await using bank = await openBank({ once: { seal: aesSeal(randomBytes(32)) } });
  const first = await send(bank.url, 'transfer', { ...oneEuro, cents: 1e9 }, { key: 'k1' });
  const second = await send(bank.url, 'transfer', { ...oneEuro, cents: 1e9 }, { key: 'k1' });
  expect(second.body.error.data.declared).toEqual(first.body.error.data.declared);
  expect((await recordsOf(bank.db))[0]?.response_body).not.toContain('INSUFFICIENT');
});

test('with a secret, the stored fingerprint of a short input cannot be found by trying; a rotated one still compares', async () => {
  const old = { id: 'old', secret: 'a'.repeat(32) };
  const current = { id: 'new', secret: 'b'.repeat(32) };
  await using bank = await openBank({ once: { fingerprintSecrets: [old] } });
  const first = await send(bank.url, 'echo', '4711', { key: 'k1' });
  const { rows } = await bank.db.query('SELECT fingerprint FROM idempotency_records');
  expect(rows[0].fingerprint).toMatch(/^1k\.old\./);

  const { startBank } = await import('../bank/index.js');
  const { postgresRecords } = await import('@trpc-once/server');
  await using rotated = await startBank({
    db: bank.db,
    records: postgresRecords(bank.db) as never,
    once: { fingerprintSecrets: [current, old] },
  });
  expect((await send(rotated.url, 'echo', '4711', { key: 'k1' })).text).toBe(first.text);
  expect((await send(rotated.url, 'echo', '0000', { key: 'k1' })).status).toBe(422);
  await send(rotated.url, 'echo', '4711', { key: 'k2' });

  // An instance that has not been given the new secret yet cannot tell, and says so instead of guessing.
  const early = await send(bank.url, 'echo', '4711', { key: 'k2' });
  expect(early.status).toBe(503);
  expect(early.body.error.data.idempotency.refusal).toBe('STORE_UNAVAILABLE');
  expect(await effects(bank.db, 'k2')).toBe(1);
});

test('nothing of an input, an output or a principal is in events, refusals or Redis keys', async () => {
  await using bank = await openBank();
  const secret = { pin: 'top-secret-4711' };
  await send(bank.url, 'echo', secret, { key: 'k1', user: 'ann-of-kent' });
  const mismatch = await send(bank.url, 'echo', { pin: 'other' }, { key: 'k1', user: 'ann-of-kent' });
  const told = JSON.stringify([bank.bank.events, await bank.claimKeys()]) + mismatch.text;
  expect(told).not.toContain('4711');
  expect(told).not.toContain('ann-of-kent');
});
