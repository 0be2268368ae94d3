import { tcpProxy } from '@trpc-once/faulty-network';
import { type LocalPostgres, startPostgres } from '@trpc-once/local-services';
import { postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import type { Disposal } from '../../bank/disposal.js';
import type { EventCounts } from '../bank/server-program.js';
import { createSoakTables } from '../bank/soak-tables.js';
import type { Findings } from '../report/findings.js';
import type { Sabotage } from '../sabotage.js';
import { RedisPair } from './redis-pair.js';
import { SoakServer } from './server.js';
import { sideBySide } from './side-by-side.js';

/** Everything the soak runs on, and breaks. */
export interface Stage {
  readonly postgres: LocalPostgres;
  readonly redis: RedisPair;
  readonly servers: readonly SoakServer[];
  /** The database, past all lines. */
  readonly db: Pool;
}

export interface StageOptions {
  readonly servers: number;
  /** Database connections of each server. */
  readonly connections: number;
  readonly sabotage: Sabotage | undefined;
  readonly findings: Findings;
  readonly onEvents: (counts: EventCounts) => void;
}

/** Starts a Postgres, two Redis and the servers, each with lines of its own to all of them. */
export async function openStage(options: StageOptions, disposal: Disposal): Promise<Stage> {
  const { connections, sabotage, findings, onEvents } = options;
  const postgres = disposal.use(await startPostgres({ synchronousCommit: sabotage !== 'forgetful' }));
  const redis = await RedisPair.start(disposal);
  const db = new Pool({ connectionString: postgres.url, max: 2 });
  db.on('error', () => {});
  disposal.defer(() => db.end());
  await createSoakTables(db);
  await postgresRecords(db).migrate();

  const line = async (port: number) => disposal.use(await tcpProxy({ upstream: { port } }));
  const servers = await sideBySide(
    Array.from({ length: options.servers }, async (_, index) => {
      const lines = {
        // Nobody is behind it until the server has started.
        door: await line(1),
        postgres: await line(postgres.port),
        redis: await line(redis.primary.port),
      };
      const urls = { databaseUrl: postgres.url, redisUrl: redis.primary.url };
      const order = { index, connections, sabotage };
      const server = disposal.use(new SoakServer({ order, ...urls, lines, findings, onEvents }));
      await server.start();
      return server;
    }),
  );
  redis.attach(servers.map(({ lines }) => lines.redis));
  return { postgres, redis, servers, db };
}
