import { join } from 'node:path';
import type { Disposal } from '../bank/disposal.js';
import type { Standing } from './load/standing.js';
import type { Plan } from './plan.js';
import type { Findings } from './report/findings.js';
import { SoakClient } from './stage/client.js';
import { SoakLoad } from './stage/load.js';
import { sideBySide } from './stage/side-by-side.js';

export interface ClientsOptions {
  readonly plan: Plan;
  /** The servers' doors. */
  readonly doors: readonly string[];
  /** Where the client library's calls go. */
  readonly network: string;
  /** Where logs and the outbox are kept. */
  readonly directory: string;
  readonly findings: Findings;
}

/** Everybody who asks for something: two processes full of senders, and an app with the client library. */
export interface Clients {
  readonly app: SoakClient;
  readonly logs: readonly string[];
  standing(): Standing;
  /** Begins nothing new. @returns when all that was begun has come to its end */
  finish(): Promise<unknown>;
}

const LOADS = 2;

/** The library flushes each operation to disk before it sends it, and is killed now and then: a tenth is enough for it. */
const APP_SHARE = 0.1;

export async function startClients(options: ClientsOptions, disposal: Disposal): Promise<Clients> {
  const { plan, doors, network, directory, findings } = options;
  const { seed, inFlight, sabotage } = plan;
  const log = (name: string) => join(directory, `${name}.log`);
  const atOnce = Math.max(1, Math.round(inFlight * APP_SHARE));
  const app = disposal.use(
    new SoakClient(
      { name: 'app', seed, url: network, atOnce, log: log('app'), outbox: join(directory, 'outbox') },
      findings,
    ),
  );
  const names = Array.from({ length: LOADS }, (_, n) => `load${n}`);
  const senders = Math.ceil((inFlight - atOnce) / LOADS);
  const loads = await sideBySide(
    names.map(async (name) =>
      disposal.use(await SoakLoad.start({ name, seed, doors, senders, log: log(name), sabotage }, findings)),
    ),
  );
  await app.start();
  const all = [app, ...loads];
  return {
    app,
    logs: ['app', ...names].map(log),
    standing: () => ({
      began: all.reduce((sum, { standing }) => sum + standing.began, 0),
      ended: all.reduce((sum, { standing }) => sum + standing.ended, 0),
    }),
    finish: () => Promise.all(all.map((one) => one.finish())),
  };
}
