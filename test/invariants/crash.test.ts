import { expect, test } from 'vitest';
import {
  type BankProcess,
  effects,
  type OpenBank,
  oneEuro,
  openBank,
  send,
  spawnBank,
  totalCents,
} from '../bank/index.js';
import { until } from '../resources/index.js';

/** Asks until there is an outcome, as a client does; every answer on the way must allow that. */
async function untilOutcome(url: string, key: string) {
  return until(
    async () => {
      const answer = await send(url, 'transfer', oneEuro, { key });
      if (answer.status === 200) return answer;
      expect(answer.body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
      return undefined;
    },
    { withinMs: 20_000, what: 'the outcome comes' },
  );
}

async function killedAt(bank: OpenBank, victim: BankProcess, point: Parameters<BankProcess['dieAt']>[0]) {
  await victim.dieAt(point);
  await expect(send(victim.url, 'transfer', oneEuro, { key: 'k1' })).rejects.toThrow();
  expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
  return effects(bank.db, 'k1');
}

for (const point of ['claimed', 'begun', 'handler', 'ran'] as const)
  test(`killed -9 at "${point}", before the commit: nothing of it is kept, and a retry elsewhere takes effect once`, async () => {
    await using bank = await openBank();
    await using victim = await spawnBank(bank);
    expect(await killedAt(bank, victim, point)).toBe(0);
    const answer = await untilOutcome(bank.url, 'k1');
    expect(answer.headers.get('idempotency-status')).toBe('settled');
    expect((await send(bank.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(answer.text);
    expect(await effects(bank.db, 'k1')).toBe(1);
    expect(await totalCents(bank.db)).toBe(200_000);
  });

for (const point of ['settled', 'told'] as const)
  test(`killed -9 at "${point}", after the commit: the retry replays and takes no second effect`, async () => {
    await using bank = await openBank();
    await using victim = await spawnBank(bank);
    // At "told" the answer may already be out.
    await victim.dieAt(point);
    await send(victim.url, 'transfer', oneEuro, { key: 'k1' }).catch(() => undefined);
    await victim.exited;
    expect(await effects(bank.db, 'k1')).toBe(1);
    const answer = await untilOutcome(bank.url, 'k1');
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(await effects(bank.db, 'k1')).toBe(1);
    expect(await totalCents(bank.db)).toBe(200_000);
  });

test('an outcome committed just before kill -9 replays without waiting for the lease to end', async () => {
  await using bank = await openBank({ once: { lookAfterMs: 50 } });
  await using victim = await spawnBank(bank);
  await killedAt(bank, victim, 'settled');
  const beganAt = performance.now();
  await untilOutcome(bank.url, 'k1');
  // The lease is 1,000 ms.
  expect(performance.now() - beganAt).toBeLessThan(900);
});

test('frozen past its lease before it began, and thawed: it finds the other one’s record and replays it', async () => {
  await using bank = await openBank();
  await using frozen = await spawnBank(bank);
  await frozen.haltAt('claimed');
  const early = send(frozen.url, 'transfer', oneEuro, { key: 'k1' });
  await frozen.halted();
  frozen.pause();
  const other = await untilOutcome(bank.url, 'k1');
  expect(other.headers.get('idempotency-status')).toBe('settled');
  frozen.resume();
  frozen.goOn();
  const thawed = await early;
  expect(thawed.headers.get('idempotency-replayed')).toBe('true');
  expect(thawed.text).toBe(other.text);
  expect(await effects(bank.db, 'k1')).toBe(1);
});

for (const point of ['begun', 'handler', 'ran'] as const)
  test(`frozen past its lease at "${point}", its transaction open: others are held off, then replay what it commits when thawed`, async () => {
    await using bank = await openBank();
    await using frozen = await spawnBank(bank);
    await frozen.haltAt(point);
    const slow = send(frozen.url, 'transfer', oneEuro, { key: 'k1' });
    await frozen.halted();
    frozen.pause();
    await until(async () => (await bank.claimKeys()).length === 0, {
      withinMs: 10_000,
      what: 'the lease ends',
    });
    for (let n = 0; n < 3; n++) {
      const other = await send(bank.url, 'transfer', oneEuro, { key: 'k1' });
      expect(other.body.error.data.idempotency.refusal).toBe('IN_PROGRESS');
    }
    frozen.resume();
    frozen.goOn();
    const settled = await slow;
    expect(settled.status).toBe(200);
    expect((await untilOutcome(bank.url, 'k1')).text).toBe(settled.text);
    expect(await effects(bank.db, 'k1')).toBe(1);
  });

test('frozen with its transaction open until Postgres ends the session: another takes effect, and the thawed one is told that outcome or that nothing of it was kept', async () => {
  await using bank = await openBank();
  await using frozen = await spawnBank(bank);
  await frozen.haltAt('handler');
  const slow = send(frozen.url, 'transfer', oneEuro, { key: 'k1' });
  await frozen.halted();
  frozen.pause();
  // What idle_in_transaction_session_timeout does after a minute.
  await bank.db.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'idle in transaction'`,
  );
  const other = await untilOutcome(bank.url, 'k1');
  frozen.resume();
  frozen.goOn();
  const thawed = await slow;
  // Which one depends on whether it notices the end of its session before it sends COMMIT or by it; both are true.
  if (thawed.status === 200) expect(thawed.text).toBe(other.text);
  else expect(thawed.body.error.data.idempotency.settlement).toBe('released');
  expect((await send(frozen.url, 'transfer', oneEuro, { key: 'k1' })).text).toBe(other.text);
  expect(await effects(bank.db, 'k1')).toBe(1);
  expect(await totalCents(bank.db)).toBe(200_000);
});

test.each([
  [undefined, '61s'],
  [5_000, '6s'],
])(
  'Postgres ends what a process left behind a second after its handler’s time (runTimeoutMs: %s), and a statement of it too, unless the session has limits of its own',
  async (runTimeoutMs, limit) => {
    const shown: Record<string, string>[] = [];
    await using bank = await openBank({
      once: runTimeoutMs === undefined ? {} : { runTimeoutMs },
      hooks: {
        async before({ tx }) {
          const { rows } =
            await tx.query(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
            current_setting('statement_timeout') AS statement`);
          shown.push(rows[0]);
        },
      },
    });
    await send(bank.url, 'transfer', oneEuro);
    await bank.db.query(`ALTER DATABASE ${bank.database.name} SET statement_timeout = '7s'`);
    // The pool's connections are made anew, with what is set from now on.
    bank.network.cut();
    await until(async () => (await send(bank.url, 'transfer', oneEuro)).status === 200);
    expect(shown).toEqual([
      { idle: limit, statement: limit },
      { idle: limit, statement: '7s' },
    ]);
  },
);
