import { expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, openBank, send, totalCents } from '../bank/index.js';
import { until } from '../resources/index.js';

for (const claims of ['redis', 'none'] as const)
  test(`50 concurrent requests over two instances take effect once, and none is a 5xx (claims: ${claims})`, async () => {
    await using bank = await openBank({ instances: 2, claims });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(bank.instances[n % 2]!.url, 'transfer', oneEuro, { key: 'k1' }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status === 409);
    expect(won.length).toBeGreaterThan(0);
    expect(won.length + lost.length).toBe(50);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    expect(won.filter(({ headers }) => headers.get('idempotency-status') === 'settled')).toHaveLength(1);
    for (const { body, headers } of lost) {
      expect(body.error.data.idempotency).toMatchObject({ refusal: 'IN_PROGRESS', key: 'k1' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await effects(bank.db)).toBe(1);
    expect(await totalCents(bank.db)).toBe(200_000);
  });

test('50 different keys at once all take effect, each once', async () => {
  await using bank = await openBank({ instances: 2 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send(bank.instances[n % 2]!.url, 'transfer', oneEuro, { key: `k${n}` }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(await effects(bank.db)).toBe(50);
});

test('a duplicate in flight is refused before any database connection is taken', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    poolSize: 1,
    hooks: handler,
  });
  const first = send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  // The instance's only connection is with the first.
  const second = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.status).toBe(409);
  handler.goOn();
  expect((await first).status).toBe(200);
  expect(await effects(bank.db)).toBe(1);
});

test('a handler slower than its lease keeps its claim, and its duplicates wait', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    instances: 2,
    hooks: handler,
  });
  const beganAt = performance.now();
  const first = send(bank.instances[0]!.url, 'transfer', oneEuro, { key: 'k1' });
  await handler.inside;
  await until(() => performance.now() - beganAt > 2_500, { withinMs: 10_000, what: 'two leases are over' });
  const second = await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' });
  expect(second.body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
  handler.goOn();
  const settled = await first;
  expect(settled.status).toBe(200);
  expect((await send(bank.instances[1]!.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(settled.text);
  expect(await effects(bank.db)).toBe(1);
});

test('a client that goes away in mid-run changes nothing: the operation settles and replays', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    hooks: handler,
  });
  const leaving = new AbortController();
  const gone = send(bank.url, 'transfer', oneEuro, { key: 'k1', signal: leaving.signal });
  await handler.inside;
  leaving.abort();
  await expect(gone).rejects.toThrow();
  handler.goOn();
  await until(async () => (await effects(bank.db)) === 1, { withinMs: 5_000, what: 'it settles' });
  const retry = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(retry.status).toBe(200);
  expect(retry.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db)).toBe(1);
});

test('a request that timed out and is sent again gets the outcome of the first', async () => {
  const handler = heldHandler();
  await using bank = await openBank({ hooks: handler });
  const timedOut = send(bank.url, 'transfer', oneEuro, { key: 'k1', signal: AbortSignal.timeout(300) });
  await expect(timedOut).rejects.toThrow();
  const early = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(early.status).toBe(409);
  handler.goOn();
  const late = await until(
    async () => {
      const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
      return answer.status === 200 ? answer : undefined;
    },
    { withinMs: 10_000, what: 'the outcome comes' },
  );
  expect(late.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db)).toBe(1);
});
