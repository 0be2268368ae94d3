import { until } from '@trpc-once/local-services';
import { pick, type Random } from '../draw.js';
import type { Stage } from '../stage/open-stage.js';
import { ask, type RedisPair } from '../stage/redis-pair.js';
import { type Fault, hold, type Lane } from './lane.js';
import { lineFaults } from './line-faults.js';

/** What happens to Redis, and between it and the servers. */
export function redisLane({ redis, servers }: Stage): Lane {
  const lines = servers.map((server) => server.lines.redis);
  /** Sends the lines to whoever is in charge now, one by one: until the last is turned there are two of them. */
  const turnOneByOne = async (random: Random): Promise<void> => {
    for (const line of lines) {
      await hold([0, 700], random);
      redis.turn(line);
    }
  };
  return {
    name: 'redis',
    pauseMs: [300, 2_500],
    faults: [
      ...lineFaults({ to: 'Redis', lines, cutWithinBytes: 4_000, slowMs: [50, 400] }),
      ...memoryFaults(redis),
      ...commandFaults(redis),
      {
        kind: 'Redis: killed -9 and restarted, empty',
        weight: 2,
        async inject(random) {
          await redis.primary.kill();
          await hold([0, 1_500], random);
          await redis.primary.start();
        },
      },
      {
        kind: 'Redis: stopped and restarted, empty',
        weight: 1,
        async inject(random) {
          await redis.primary.stop();
          await hold([0, 1_500], random);
          await redis.primary.start();
        },
      },
      {
        kind: 'Redis: frozen',
        weight: 2,
        async inject(random) {
          const { primary } = redis;
          primary.pause();
          await hold([300, 2_500], random);
          primary.resume();
        },
      },
      {
        kind: 'Redis: replica promoted, both written to for a while',
        weight: 3,
        async inject(random) {
          await redis.promote();
          await turnOneByOne(random);
          await redis.follow();
        },
      },
      {
        kind: 'Redis: killed -9, replica promoted',
        weight: 3,
        async inject(random) {
          await redis.primary.kill();
          await hold([0, 1_000], random);
          await redis.promote();
          await turnOneByOne(random);
          await redis.replica.start();
          await redis.follow();
        },
      },
      {
        kind: 'Redis: demoted, then turned away from',
        weight: 2,
        async inject(random) {
          await redis.promote();
          // Whoever still writes to the old one is told READONLY.
          await redis.follow();
          await hold([200, 1_000], random);
          pick(lines, random).cut();
          await turnOneByOne(random);
        },
      },
    ],
  };
}

function memoryFaults(redis: RedisPair): readonly Fault[] {
  const limited = (kind: string, policy: string, share: number): Fault => ({
    kind,
    weight: 2,
    async inject(random) {
      const { primary } = redis;
      const used = Number(/used_memory:(\d+)/.exec(String(await ask(primary, 'INFO', 'memory')))?.[1]);
      await ask(primary, 'CONFIG', 'SET', 'maxmemory-policy', policy);
      await ask(primary, 'CONFIG', 'SET', 'maxmemory', String(Math.floor(used * share)));
      await hold([500, 2_000], random);
      await ask(primary, 'CONFIG', 'SET', 'maxmemory', '0');
    },
  });
  return [
    limited('Redis: out of memory', 'noeviction', 0.5),
    limited('Redis: evicting', 'allkeys-random', 0.99),
  ];
}

function commandFaults(redis: RedisPair): readonly Fault[] {
  return [
    {
      kind: 'Redis: FLUSHALL',
      weight: 4,
      inject: async () => void (await ask(redis.primary, 'FLUSHALL')),
    },
    {
      kind: 'Redis: SCRIPT FLUSH',
      weight: 1,
      inject: async () => void (await ask(redis.primary, 'SCRIPT', 'FLUSH')),
    },
    {
      kind: 'Redis: no answer to any command',
      weight: 1,
      async inject(random) {
        const { primary } = redis;
        await ask(primary, 'CLIENT', 'PAUSE', String(Math.floor(200 + random() * 1_500)), 'ALL');
        await until(() => ask(primary, 'PING'), { withinMs: 10_000, what: 'Redis answers again' });
      },
    },
    {
      kind: 'Redis: read-only',
      weight: 2,
      async inject(random) {
        const { primary } = redis;
        // A replica of somebody who is not there keeps what it has, and refuses every write.
        await ask(primary, 'REPLICAOF', '127.0.0.1', '1');
        await hold([300, 2_000], random);
        await ask(primary, 'REPLICAOF', 'NO', 'ONE');
      },
    },
  ];
}
