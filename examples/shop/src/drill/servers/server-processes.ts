import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '@trpc-once/faulty-network';
import { CleanUp } from '../clean-up.js';
import { AnswerTally } from './answer-tally.js';
import { ServerProcess } from './server-process.js';
import type { Servers, ServersOptions } from './servers.js';

/** Long enough for the servers' breakers to open and for calls to go to Postgres alone; short enough for a drill. */
const REDIS_AWAY_MS = 700;

export interface ServerProcessesOptions extends ServersOptions {
  /** Where the processes find their stores. */
  readonly env: Readonly<Record<string, string>>;
  readonly postgres: TcpProxy | undefined;
  readonly redis: TcpProxy | undefined;
}

/** Two servers in processes of their own over the same stores; one at a time is killed, and comes back. */
export async function serverProcesses(options: ServerProcessesOptions): Promise<Servers> {
  const { env, postgres, redis, moments, damage, onMoved, onFailure } = options;
  const cleanUp = new CleanUp();
  const tally = new AnswerTally();
  const two = [0, 1].map(() => cleanUp.use(new ServerProcess({ env, tally, onFailure })));
  const urls = () => two.map(({ url }) => url);
  try {
    await Promise.all(two.map((server) => server.start()));
  } catch (error) {
    await cleanUp[Symbol.asyncDispose]();
    throw error;
  }
  let turn = 0;

  const cut = (line: TcpProxy | undefined): void => {
    damage.connectionsCut += line?.cut() ?? 0;
  };
  return {
    urls: urls(),
    tally,
    actions: {
      async 'server-killed'(afterMs) {
        const victim = two[turn++ % 2] as ServerProcess;
        if (!(await moments.next(({ upstream }) => upstream === victim.url, afterMs))) return;
        await victim.kill();
        damage.serversKilled++;
        await victim.start();
        onMoved(urls());
      },
      async 'postgres-cut'(afterMs) {
        if (await moments.next(() => true, afterMs)) cut(postgres);
      },
      async 'commit-unanswered'() {
        const happened = postgres?.cutBefore('COMMIT', 'to-client');
        if (await Promise.race([happened, moments.over.then(() => false)])) damage.commitsUnanswered++;
      },
      async 'redis-away'(afterMs) {
        if (!redis || !(await moments.next(() => true, afterMs))) return;
        redis.refuse();
        cut(redis);
        damage.redisAway++;
        await delay(REDIS_AWAY_MS);
        await redis.accept();
      },
    },
    stop: async () => void (await Promise.all(two.map((server) => server.stop()))),
    [Symbol.asyncDispose]: () => cleanUp[Symbol.asyncDispose](),
  };
}
