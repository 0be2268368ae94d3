import { tcpProxy } from '@trpc-once/faulty-network';
import { type FaultPoint, postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { createBankTables, type Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { effects, oneEuro, send, startBank } from '../bank/index.js';
import { freshDatabase, until } from '../resources/index.js';
import { said } from './answer.js';

const connectTimeoutMs = 700;
const answerTimeoutMs = 700;
const runTimeoutMs = 1_500;
const findOutMs = 700;

/** As docs/guarantees.md has it, for a database that goes silent and stays so; there is no claim store here. */
const boundMs = connectTimeoutMs + answerTimeoutMs + runTimeoutMs + 2 * answerTimeoutMs + findOutMs;

/** A machine with other things to do. Whatever is not bounded hangs for longer than this. */
const busyMs = 15_000;

interface Silence {
  readonly when: string;
  /** The point at which the network goes silent; `handler` is the middle of one. */
  readonly at: FaultPoint | 'handler';
  /** Without a connection from before, connecting is what hangs. */
  readonly connected: boolean;
  /** Whether the handler throws. */
  readonly fails?: boolean;
  /** Whether the answer to COMMIT is lost before. */
  readonly commitLost?: boolean;
  readonly answer: RegExp;
}

const silences: readonly Silence[] = [
  { when: 'it connects', at: 'beginning', connected: false, answer: /^STORE_UNAVAILABLE$/ },
  { when: 'BEGIN and the hold', at: 'beginning', connected: true, answer: /^STORE_UNAVAILABLE$/ },
  { when: 'a statement of the handler', at: 'handler', connected: true, answer: /^released$/ },
  { when: 'the insert and COMMIT', at: 'ran', connected: true, answer: /^(unknown|released)$/ },
  { when: 'ROLLBACK', at: 'ran', connected: true, fails: true, answer: /^released$/ },
  { when: 'it finds out', at: 'probing', connected: true, commitLost: true, answer: /^unknown$/ },
];

async function openBehindSilence(pipeline: boolean, { at, fails }: Silence) {
  const stack = new Disposal();
  const database = stack.use(await freshDatabase());
  const { hostname: host, port } = new URL(database.url);
  const network = stack.use(await tcpProxy({ upstream: { host, port: Number(port) } }));
  stack.defer(() => network.resume());
  const through = Object.assign(new URL(database.url), { hostname: network.host, port: network.port }).href;
  const pool = database.pool({ connectionString: through, pipeline } as object);
  const db = database.pool({ max: 2 }) as Sql;
  await createBankTables(db);
  const records = postgresRecords(pool, { connectTimeoutMs, answerTimeoutMs });
  await postgresRecords(db as never).migrate();
  let armed = false;
  const silence = (): void => {
    armed = false;
    network.pause();
  };
  const bank = stack.use(
    await startBank({
      db,
      records: records as never,
      once: { runTimeoutMs, findOutMs },
      faults: (point) => {
        if (armed && point === at) silence();
      },
      hooks: {
        async after({ tx }) {
          const failsNow = armed && fails;
          if (armed && at === 'handler') silence();
          await tx.query('SELECT 1');
          if (failsNow) throw new Error('it does not like it');
        },
      },
    }),
  );
  return {
    ...{ bank, db, network, url: bank.url },
    arm() {
      armed = true;
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

for (const pipeline of [true, false])
  test.concurrent.each(silences)(
    `Postgres goes silent, and the next is $when: an answer within what the limits add up to, and one effect when it is back (${pipeline ? 'pipelining' : 'plain'} pool)`,
    async (silence) => {
      await using opened = await openBehindSilence(pipeline, silence);
      const { url, db, network } = opened;
      const ask = (key: string) => send(url, 'transfer', oneEuro, { key });
      if (silence.connected) expect(said(await ask('warm'))).toBe('settled');
      if (silence.commitLost) void network.cutBefore('COMMIT', 'to-client');
      opened.arm();
      const beganAt = performance.now();
      const answer = await ask('k1');
      expect(performance.now() - beganAt).toBeLessThan(boundMs + busyMs);
      expect(said(answer)).toMatch(silence.answer);
      expect(answer.status).toBe(silence.fails ? answer.status : 503);

      network.resume();
      const texts = new Set<string>();
      await until(
        async () => {
          const again = await ask('k1');
          if (again.status === 200) texts.add(again.text);
          return again.status === 200;
        },
        { withinMs: 20_000, everyMs: 100, what: 'an outcome' },
      );
      texts.add((await ask('k1')).text);
      expect(texts.size).toBe(1);
      expect(await effects(db, 'k1')).toBe(1);
    },
  );
