import { findValkeyBinary, type LocalRedis, startRedis, startRedisCluster } from '@trpc-once/local-services';
import { redisClaims } from '@trpc-once/server';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effects } from '../bank/index.js';
import type { OpenClaims } from '../conformance/claims-fixtures.js';
import { claimsSuite } from '../conformance/claims-suite.js';
import { claimFailures } from '../faults/claim-events.js';
import { bankOver } from './bank-over.js';
import { sameAnswers } from './same-answers.js';

const binary = findValkeyBinary() as string;
const skipped = binary === undefined;

describe.skipIf(skipped)(`Valkey${skipped ? ' (skipped: no valkey-server on PATH)' : ''}`, () => {
  let valkey: LocalRedis;
  beforeAll(async () => {
    valkey = await startRedis({ binary });
  });
  afterAll(() => valkey?.[Symbol.asyncDispose]());

  describe('holds claims', () =>
    claimsSuite(async (): Promise<OpenClaims> => {
      const client = new Redis(valkey.url);
      const claims = redisClaims(client);
      await client.flushall();
      return {
        claims,
        forget: async () => void (await client.flushall()),
        isEmpty: async () => (await client.dbsize()) === 0,
        async [Symbol.asyncDispose]() {
          await claims.close();
          await client.quit();
        },
      };
    }));

  const clusterClient = (cluster: {
    addresses: readonly { host: string; port: number }[];
    password: string;
  }) => new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } });

  test('50 at once over two instances take effect once, with one Valkey and with a cluster of three', async () => {
    await using cluster = await startRedisCluster({ binary });
    for (const client of [() => new Redis(valkey.url), () => clusterClient(cluster)]) {
      await using bank = await bankOver({ instances: 2, client });
      const answers = sameAnswers();
      for (const key of ['valkey-1', 'valkey-2', 'valkey-3']) {
        const sent = await Promise.all(
          Array.from({ length: 50 }, (_, n) => answers.ask(bank.instances[n % 2]!.url, key, 30_000)),
        );
        for (const { status, text } of sent) expect([200, 409], text).toContain(status);
        const { headers } = await answers.outcome(bank.url, key);
        expect(headers.get('idempotency-replayed')).toBe('true');
      }
      expect(await effects(bank.db)).toBe(3);
      // A busy machine may be late now and then; what Valkey does not understand it says.
      for (const each of bank.instances)
        for (const failure of claimFailures(each)) expect(failure).toContain('took longer than');
    }
  });
});
