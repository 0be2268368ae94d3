import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, recordsOf, send, totalCents } from '../bank/index.js';
import { until } from '../resources/index.js';

for (const pipeline of [true, false]) {
  const pool = pipeline ? 'pipelining' : 'plain';

  test(`the acknowledgement of COMMIT is lost: the record is read and the outcome given, never guessed (${pool} pool)`, async () => {
    await using bank = await openBank({ pipeline });
    await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
    const lost = bank.network.cutBefore('COMMIT', 'to-client');
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(await lost).toBe(true);
    expect(answer.status, answer.text).toBe(200);
    expect(bank.bank.events.some(({ type }) => type === 'commit-unknown')).toBe(true);
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(answer.text);
    expect(await effects(bank.db, 'k1')).toBe(1);
  });

  test(`COMMIT itself is lost: found out as not committed, released with 503, and the retry takes effect once (${pool} pool)`, async () => {
    await using bank = await openBank({ pipeline });
    await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
    const lost = bank.network.cutBefore('COMMIT', 'to-upstream');
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(await lost).toBe(true);
    expect(answer.status, answer.text).toBe(503);
    expect(answer.body.error.data.idempotency).toMatchObject({ settlement: 'released', key: 'k1' });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await recordsOf(bank.db, 'k1')).toEqual([]);
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
    expect(await effects(bank.db, 'k1')).toBe(1);
    expect(await totalCents(bank.db)).toBe(200_000);
  });
}

for (const isolation of ['repeatable read', 'serializable'] as const)
  test(`the acknowledgement of COMMIT is lost where transactions are ${isolation} by default: the outcome is found`, async () => {
    await using bank = await openBank({ isolation });
    await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
    const lost = bank.network.cutBefore('COMMIT', 'to-client');
    const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
    expect(await lost).toBe(true);
    expect(answer.status, answer.text).toBe(200);
    expect(await effects(bank.db, 'k1')).toBe(1);
  });

test('the acknowledgement is lost and Postgres stays out of reach: 503 unknown in bounded time, and the truth later', async () => {
  await using bank = await openBank({ once: { findOutMs: 500, lookAfterMs: 0 } });
  await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
  const lost = bank.network.cutBefore('COMMIT', 'to-client').then(() => {
    bank.network.refuse();
    bank.network.cut();
  });
  const beganAt = performance.now();
  const unknown = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  await lost;
  expect(performance.now() - beganAt).toBeLessThan(5_000);
  expect(unknown.status).toBe(503);
  expect(unknown.body.error.data.idempotency).toMatchObject({ settlement: 'unknown', key: 'k1' });
  expect(unknown.headers.get('retry-after')).toBe('1');

  const meanwhile = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect([409, 503]).toContain(meanwhile.status);

  await bank.network.accept();
  const later = await until(
    async () => {
      const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
      return answer.status === 200 ? answer : undefined;
    },
    { withinMs: 10_000, what: 'the outcome' },
  );
  expect(later.headers.get('idempotency-replayed')).toBe('true');
  expect(await effects(bank.db, 'k1')).toBe(1);
});

test('Postgres out of reach: 503 in bounded time, nothing runs, no claim is left, and it works again by itself', async () => {
  await using bank = await openBank();
  bank.network.refuse();
  bank.network.cut();
  const refused = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(refused.status).toBe(503);
  expect(refused.body.error.data.idempotency).toMatchObject({ refusal: 'STORE_UNAVAILABLE' });
  expect(await bank.claimKeys()).toEqual([]);
  await bank.network.accept();
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).status).toBe(200);
  expect(await effects(bank.db, 'k1')).toBe(1);
});

test('Postgres frozen in mid-call: an answer comes in bounded time, and no second effect when it thaws', async () => {
  await using bank = await openBank({ answerTimeoutMs: 1_000 });
  await send(bank.url, 'transfer', oneEuro, { key: 'warm' });
  bank.network.pause();
  const stuck = send(bank.url, 'transfer', oneEuro, { key: 'k1', signal: AbortSignal.timeout(25_000) });
  const duplicate = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
  expect(duplicate.status).toBe(409);
  const answer = await stuck;
  expect(answer.status).toBe(503);
  bank.network.resume();
  const later = await until(
    async () => {
      const answer = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
      return answer.status === 200 ? answer : undefined;
    },
    { withinMs: 20_000, what: 'the outcome' },
  );
  expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(later.text);
  expect(await effects(bank.db, 'k1')).toBe(1);
});

test('connections cut at random bytes never make a second effect or two outcomes', async () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed} (set SEED to repeat)`);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  await using bank = await openBank({ instances: 2, once: { findOutMs: 2_000 } });
  for (let n = 0; n < 40; n++) {
    const key = `k${n}`;
    void bank.network.cutAfterBytes(random(2_500), random(2) ? 'to-client' : 'to-upstream');
    const texts = new Set<string>();
    await until(
      async () => {
        const answers = await Promise.all(
          bank.instances.map(({ url }) => send(url, 'transfer', oneEuro, { key })),
        );
        for (const { status, text } of answers) {
          if (status === 200) texts.add(text);
          else expect([409, 503]).toContain(status);
        }
        return texts.size > 0;
      },
      { withinMs: 15_000, what: `an outcome for ${key}` },
    );
    expect(texts.size, `seed ${seed}, ${key}`).toBe(1);
    expect(await effects(bank.db, key), `seed ${seed}, ${key}`).toBe(1);
  }
  expect(await totalCents(bank.db)).toBe(200_000);
});
