import type { AddressInfo } from 'node:net';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, type OnceEvent, redisClaims } from '@trpc-once/server';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import type { Sql } from '../../bank/bank-tables.js';
import { parent } from '../../resources/parent.js';
import type { Sabotage } from '../sabotage.js';
import { soakRecords } from './soak-records.js';
import { type SoakContext, soakRouter } from './soak-router.js';

/** One server instance, killed, frozen and stopped by the soak. */

export interface ServerOrder {
  readonly index: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly connections: number;
  readonly sabotage?: Sabotage | undefined;
}

/** How often each kind of event was told since the last time this was said. */
export type EventCounts = Readonly<Partial<Record<OnceEvent['type'], number>>>;

const order = JSON.parse(process.argv[2] as string) as ServerOrder;
const { index, databaseUrl, redisUrl, connections, sabotage } = order;
const isOdd = index % 2 === 1;

// Instances that differ in all that may differ, as during a deployment.
const isolation = ['read\\ committed', 'repeatable\\ read', 'serializable'][index % 3];
const pool = new Pool({
  connectionString: databaseUrl,
  options: `-c default_transaction_isolation=${isolation}`,
  max: connections,
  pipeline: !isOdd,
} as object);
pool.on('error', () => {});
const redis = new Redis(redisUrl, { retryStrategy: () => 50 });
redis.on('error', () => {});

let counts: Partial<Record<OnceEvent['type'], number>> = {};
const once = createOnce<SoakContext, Sql>({
  records: soakRecords(pool, sabotage) as never,
  // Some receipts are longer than this, and then only the record can answer.
  claims: redisClaims(redis, { maxBodyLength: 300 }),
  scope: (ctx) => ctx.user,
  ...(isOdd && { whenInProgress: { waitMs: 1_500 } }),
  sweep: { everyMs: 2_000 },
  onEvent(event) {
    counts[event.type] = (counts[event.type] ?? 0) + 1;
    if (event.type === 'fault') parent.tell('fault', described(event.error));
  },
});
setInterval(() => {
  parent.tell('events', counts);
  counts = {};
}, 1_000).unref();

const server = createHTTPServer({
  router: soakRouter(once),
  createContext: once.context(
    ({ req }: { req: { headers: Record<string, string | string[] | undefined> } }) => ({
      user: (req.headers['x-user'] as string | undefined) ?? null,
      attempt: String(req.headers['x-attempt'] ?? ''),
    }),
  ),
  responseMeta: once.responseMeta,
});
// As every server behind a balancer should be: outliving its idle connections, lest a request meets one being closed.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  once.sweeper.start();
  parent.tell('ready', { port: (server.address() as AddressInfo).port });
});

/** As a deployment ends an instance: nothing new, all that is inside answered, then the end. */
process.once('SIGTERM', async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  await once.close();
  setInterval(() => server.closeIdleConnections(), 20).unref();
  await closed;
  await pool.end();
  redis.disconnect();
  process.exit(0);
});

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
