import type { EnvironmentStores } from '@trpc-once/server/embedded';
import type { Mishap } from '../mishaps/mishap-schedule.js';
import type { Servers, ServersOptions } from '../servers/servers.js';

/** What the drill takes place on. */
export interface Stage extends AsyncDisposable {
  /** What is underneath, and what that is good for. */
  readonly description: string;
  /** The drill's own way to the stores, which nothing of its mischief touches: to prepare, to count, and to serve afterwards. */
  readonly stores: EnvironmentStores;
  /** What befalls its servers. */
  readonly mishaps: readonly Mishap[];
  startServers(options: ServersOptions): Promise<Servers>;
}
