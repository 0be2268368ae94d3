import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send } from '../bank/index.js';

const malformed: [what: string, key: string][] = [
  ['empty', ''],
  ['blank', '   '],
  ['256 characters', 'k'.repeat(256)],
  ['outside ASCII', 'sch\u00f6n'],
  ['joined by a comma', 'a, b'],
  ['quoted and joined by a comma', '"a", "b"'],
  ['a quote that does not end', '"a'],
];

test('a key that is missing, empty, too long, not ASCII or joined is refused with 400 before any claim or record', async () => {
  await using bank = await openBank();
  const missing = await send(bank.url, 'transfer', oneEuro, { key: null });
  expect(missing.status).toBe(400);
  expect(missing.body.error.data.idempotency).toEqual({ refusal: 'KEY_MISSING' });
  expect(missing.body.error.message).toContain('Idempotency-Key');
  for (const [what, key] of malformed) {
    const answer = await send(bank.url, 'transfer', oneEuro, { key });
    expect(answer.status, what).toBe(400);
    expect(answer.body.error.data, what).toMatchObject({
      code: 'BAD_REQUEST',
      idempotency: { refusal: 'KEY_MALFORMED' },
    });
  }
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toEqual([]);
  expect(await bank.claimKeys()).toEqual([]);
});

test('a key of 255 characters serves', async () => {
  await using bank = await openBank();
  const key = 'k'.repeat(255);
  const first = await send(bank.url, 'transfer', oneEuro, { key });
  expect(first.status).toBe(200);
  expect((await send(bank.url, 'transfer', oneEuro, { key })).text).toBe(first.text);
});

test('a body that is malformed, oversized, of the wrong type or the wrong media type is refused, and leaves nothing', async () => {
  await using bank = await openBank();
  const cases = [
    { status: 400, send: () => send(bank.url, 'transfer', undefined, { rawBody: '{"from":' }) },
    { status: 400, send: () => send(bank.url, 'transfer', { from: 'a', to: 'b', cents: 'many' }) },
    { status: 400, send: () => send(bank.url, 'transfer', { ...oneEuro, cents: -1 }) },
    { status: 400, send: () => send(bank.url, 'transfer', undefined) },
    { status: 413, send: () => send(bank.url, 'transfer', { ...oneEuro, note: 'x'.repeat(300_000) }) },
    { status: 404, send: () => send(bank.url, 'transfers', oneEuro) },
    {
      status: 415,
      send: () =>
        send(bank.url, 'transfer', oneEuro, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
    },
    {
      status: 415,
      send: () =>
        send(bank.url, 'echo', oneEuro, { headers: { 'content-type': 'application/octet-stream' } }),
    },
  ];
  for (const { status, send } of cases) {
    const answer = await send();
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.error.message).not.toBe('');
  }
  expect(await effects(bank.db)).toBe(0);
  expect(await recordsOf(bank.db)).toEqual([]);
  expect(await bank.claimKeys()).toEqual([]);
});

test('a cross-site form post without a key is refused and nothing ran', async () => {
  await using bank = await openBank();
  const form = new FormData();
  form.set('cents', '100');
  for (const body of [new URLSearchParams({ cents: '100' }), form, 'from=a&to=b']) {
    const response = await fetch(`${bank.url}/transfer`, {
      method: 'POST',
      body,
      headers: { 'x-user': 'ann' },
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  }
  expect(await effects(bank.db)).toBe(0);
});

test('a key first sent longer ago than outcomes are kept is refused with 412, never run again', async () => {
  await using bank = await openBank();
  const day = 24 * 3_600;
  const old = await send(bank.url, 'transfer', oneEuro, {
    key: 'k1',
    headers: { 'idempotency-key-age': String(day + 1) },
  });
  expect(old.status).toBe(412);
  expect(old.body.error.data.idempotency).toEqual({ refusal: 'KEY_EXPIRED', key: 'k1' });
  expect(await effects(bank.db)).toBe(0);
  const young = await send(bank.url, 'transfer', oneEuro, {
    key: 'k1',
    headers: { 'idempotency-key-age': String(day - 1) },
  });
  expect(young.status).toBe(200);
  for (const nonsense of ['-3', '1.5', '1e9', 'old', '', '1, 2', '99999999999']) {
    const answer = await send(bank.url, 'transfer', oneEuro, {
      headers: { 'idempotency-key-age': nonsense },
    });
    expect(answer.status, nonsense).toBe(400);
    expect(answer.body.error.message).toContain('Idempotency-Key-Age');
  }
  expect(await effects(bank.db)).toBe(1);
});

test('a batch of several calls with one key is refused before any claim, and its ordinary calls still answer', async () => {
  await using bank = await openBank();
  const key = randomUUID();
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const post = (paths: string, body: unknown) =>
    fetch(`${bank.url}/${paths}?batch=1`, { method: 'POST', headers, body: JSON.stringify(body) });

  const two = await post('transfer,transfer', { 0: oneEuro, 1: oneEuro });
  expect(two.status).toBe(400);
  const answers = (await two.json()) as any[];
  expect(answers.map(({ error }) => error.data.idempotency.refusal)).toEqual(['KEY_SHARED', 'KEY_SHARED']);
  expect(await effects(bank.db)).toBe(0);
  expect(await bank.claimKeys()).toEqual([]);

  // The key was not used up.
  const alone = await post('transfer', { 0: oneEuro });
  expect(alone.status).toBe(200);
  expect(await effects(bank.db, key)).toBe(1);
});

test('a batch larger than the server allows is refused before any claim, and its keys stay usable', async () => {
  await using bank = await openBank();
  const response = await fetch(`${bank.url}/transfer,transfer,transfer,transfer?batch=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
    body: JSON.stringify({ 0: oneEuro, 1: oneEuro, 2: oneEuro, 3: oneEuro }),
  });
  expect(response.status).toBe(400);
  expect(await bank.claimKeys()).toEqual([]);
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test('the same bytes sent twice at once by a runtime that retries silently run once', async () => {
  await using bank = await openBank();
  const [one, two] = await Promise.all([
    send(bank.url, 'transfer', oneEuro, { key: 'k1' }),
    send(bank.url, 'transfer', oneEuro, { key: 'k1' }),
  ]);
  expect([one.status, two.status].sort()).toEqual(expect.arrayContaining([200]));
  expect(await effects(bank.db)).toBe(1);
});
