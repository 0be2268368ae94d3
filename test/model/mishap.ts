import type { AttemptServer } from './attempt-server.js';
import type { Recorder } from './recorder.js';
import type { Trouble } from './step.js';

/** What may befall an attempt while everybody stands somewhere, and what that can explain. */
export const mishaps = {
  'Redis is flushed': 'redis forgets',
  'its connections to Redis are cut': 'redis out of reach',
  'Redis is out of its reach': 'redis out of reach',
  'its connections to Postgres are cut': 'postgres out of reach',
  'Postgres is out of its reach': 'postgres out of reach',
  'its next COMMIT is lost': 'postgres out of reach',
  'the answer to its next COMMIT is lost': 'postgres out of reach',
  'it is killed': 'redis out of reach',
} as const satisfies Record<string, Trouble>;

export type Mishap = keyof typeof mishaps;

export interface Befallen {
  readonly attempt: number;
  readonly server: AttemptServer;
  readonly recorder: Recorder;
  flush(): Promise<void>;
}

export async function befall(mishap: Mishap, { attempt, server, recorder, flush }: Befallen): Promise<void> {
  const { postgres, redis } = server;
  switch (mishap) {
    case 'Redis is flushed':
      return flush();
    case 'its connections to Redis are cut':
      return void redis.cut();
    case 'Redis is out of its reach':
      redis.refuse();
      return void redis.cut();
    case 'its connections to Postgres are cut':
      return void postgres.cut();
    case 'Postgres is out of its reach':
      postgres.refuse();
      return void postgres.cut();
    case 'its next COMMIT is lost':
      return void postgres.cutBefore('COMMIT', 'to-upstream');
    case 'the answer to its next COMMIT is lost':
      return void postgres.cutBefore('COMMIT', 'to-client');
    case 'it is killed':
      recorder.crash(attempt);
      for (const network of [postgres, redis]) {
        network.refuse();
        network.cut();
      }
  }
}
