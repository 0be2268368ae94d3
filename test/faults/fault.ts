import type { Victim } from './victim.js';

/** What befalls a server process while each of its attempts stands at another point. */
export interface Fault {
  readonly name: string;
  befall(victim: Victim): Promise<void>;
  /** Nothing more is heard of the process. */
  readonly kills?: boolean;
}

export const faults: readonly Fault[] = [
  { name: 'its process is killed with -9', befall: (victim) => victim.kill(), kills: true },
  {
    name: 'its connections to Redis are cut',
    async befall(victim) {
      victim.redis.cut();
      victim.goOn();
    },
  },
  {
    name: 'Redis is out of its reach from here on',
    async befall(victim) {
      victim.redis.refuse();
      victim.redis.cut();
      victim.goOn();
    },
  },
  {
    name: 'its connections to Postgres are cut',
    async befall(victim) {
      victim.postgres.cut();
      victim.goOn();
    },
  },
  {
    name: 'Postgres is out of its reach from here on',
    async befall(victim) {
      victim.postgres.refuse();
      victim.postgres.cut();
      victim.goOn();
    },
  },
  {
    // Until another process has the outcome of an operation whose claim the frozen one held.
    name: 'it is frozen past its lease',
    async befall(victim) {
      victim.pause();
      victim.goOn();
    },
  },
];
