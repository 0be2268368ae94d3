import { storesFromEnv } from '@trpc-once/server/embedded';
import { embeddedServer } from '../servers/embedded-server.js';
import type { Stage } from './stage.js';

/** A Postgres inside this process, and one server beside it. Nothing has to be installed. */
export async function embeddedStage(): Promise<Stage> {
  const stores = await storesFromEnv({});
  return {
    description: `Embedded: ${stores.description}.
For ONE process only: there is one server, which cannot be killed without the drill; its connections are cut instead.
With --services, or DATABASE_URL and REDIS_URL, there are two, and they are killed in turn.`,
    stores,
    mishaps: ['server-cut-off', 'server-cut-off', 'server-cut-off', 'server-cut-off'],
    startServers: (options) => embeddedServer(stores, options),
    [Symbol.asyncDispose]: () => stores.close(),
  };
}
