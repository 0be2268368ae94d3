import { initTRPC } from '@trpc/server';
import { declaredError, defineContract, procedure, readIdempotency } from '@trpc-once/contract';
import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';
import { createOnce, postgresRecords, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { z } from 'zod';
import type { Sql } from '../bank/bank-tables.js';
import { Disposal } from '../bank/disposal.js';
import { notingClaims, notingRecords } from './noting-stores.js';
import type { Recorder } from './recorder.js';
import type { Answer } from './world.js';

/** How a handler ends: well, with a declared error, or with one that settles nothing. */
export type Ending = 'completes' | 'declares' | 'fails';

/** A server process of one attempt, with a network of its own to either store. */
export interface AttemptServer extends AsyncDisposable {
  readonly postgres: TcpProxy;
  readonly redis: TcpProxy;
  /** Makes the attempt, and notes it; its handler's outcome says whose it is. */
  attempt(key: string): Promise<void>;
}

export interface Stores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly leaseMs: number;
}

export async function openAttemptServer(
  { number, ending }: { readonly number: number; readonly ending: Ending },
  stores: Stores,
  recorder: Recorder,
): Promise<AttemptServer> {
  const stack = new Disposal();
  const through = async (url: string) => {
    const { hostname: host, port } = new URL(url);
    const proxy = stack.use(await tcpProxy({ upstream: { host, port: Number(port) } }));
    return { proxy, href: Object.assign(new URL(url), { hostname: proxy.host, port: proxy.port }).href };
  };
  const postgres = await through(stores.databaseUrl);
  const redis = await through(stores.redisUrl);
  const pool = new Pool({ connectionString: postgres.href, pipeline: true, max: 3 } as object);
  pool.on('error', () => {});
  stack.defer(() => pool.end());
  const client = new Redis(redis.href, { retryStrategy: () => 20 });
  client.on('error', () => {});
  stack.defer(() => client.disconnect());

  const contract = defineContract({
    act: procedure
      .output(z.number())
      .errors({ DECLARED: { code: 'CONFLICT', data: z.number() } })
      .idempotent({ leaseMs: stores.leaseMs })
      .mutation(),
  });
  const once = createOnce<object, Sql>({
    claims: notingClaims(redisClaims(client, { prefix: stores.redisPrefix }), number, recorder),
    records: notingRecords(postgresRecords(pool), number, recorder) as never,
    scope: () => 'ann',
    claimTimeoutMs: 150,
    // Longer than a test needs to look at everybody and choose who goes on, on a machine that is busy.
    findOutMs: 1_000,
    lookAfterMs: 0,
    faults: (point) => recorder.at(number, point),
    // What fails here fails on purpose, but for a Redis that was only too slow for a moment.
    onEvent: ({ type }) => void (type === 'claims-failed' && recorder.troubles.add('redis out of reach')),
  });
  const router = once.implement(
    contract,
    { procedure: initTRPC.context<object>().create().procedure },
    {
      async act({ tx, key, errors }) {
        await tx.query('INSERT INTO ledger (procedure, key, cents) VALUES ($1, $2, $3)', [
          'act',
          key,
          number,
        ]);
        if (ending === 'declares') throw errors.DECLARED(number);
        if (ending === 'fails') throw new Error('settles nothing');
        return number;
      },
    },
  );

  async function answerOf(key: string): Promise<Answer> {
    const { act } = router.createCaller(once.withKey({}, key));
    try {
      return { outcomeOf: await act() };
    } catch (error) {
      const declared = declaredError(error, contract.act);
      if (declared) return { outcomeOf: declared.data };
      const { settlement, refusal } = readIdempotency(error) ?? {};
      if (refusal === 'IN_PROGRESS') return 'in-progress';
      if (refusal === 'STORE_UNAVAILABLE' || settlement === 'released') return 'released';
      if (settlement === 'unknown') return 'unknown';
      throw error;
    }
  }

  return {
    postgres: postgres.proxy,
    redis: redis.proxy,
    async attempt(key) {
      recorder.begins();
      try {
        recorder.note({ attempt: number, answers: await answerOf(key) });
      } catch (error) {
        if (!recorder.isDead(number)) throw error;
      } finally {
        recorder.ends();
      }
    },
    async [Symbol.asyncDispose]() {
      await once.close();
      await stack[Symbol.asyncDispose]();
    },
  };
}
