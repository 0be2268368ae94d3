import type { Disposal } from '../../bank/disposal.js';
import { type Program, spawnProgram } from '../../resources/spawn-program.js';
import type { Standing } from '../load/standing.js';
import type { Findings } from '../report/findings.js';
import { hearStanding } from '../stage/client.js';
import { sideBySide } from '../stage/side-by-side.js';
import { bundleApp } from './app-bundle.js';
import { type AppOrder, type AppStorageKind, logOf } from './app-order.js';
import type { AppSabotage } from './app-sabotage.js';

/** Processes over one outbox. */
interface Group {
  readonly name: string;
  readonly processes: number;
  readonly storage: AppStorageKind;
  readonly settledFirst: boolean;
}

export const fleets = {
  small: [
    { name: 'team', processes: 2, storage: 'shared files', settledFirst: true },
    { name: 'lone', processes: 1, storage: 'files', settledFirst: true },
    { name: 'phone', processes: 1, storage: 'SQLite', settledFirst: false },
  ],
  full: [
    { name: 'team', processes: 3, storage: 'shared files', settledFirst: true },
    { name: 'pair', processes: 2, storage: 'shared files', settledFirst: false },
    { name: 'lone', processes: 1, storage: 'files', settledFirst: true },
    { name: 'page', processes: 1, storage: 'web storage', settledFirst: true },
    { name: 'phone', processes: 1, storage: 'SQLite', settledFirst: false },
  ],
} as const satisfies Readonly<Record<string, readonly Group[]>>;

/** One process of the fleet: down → running ⇄ frozen; running or frozen → down. */
export class AppProcess implements AsyncDisposable {
  readonly order: AppOrder;
  readonly #file: URL;
  readonly #findings: Findings;
  standing: Standing = { began: 0, ended: 0 };
  lives = 0;
  #program: Program<unknown> | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(order: AppOrder, file: URL, findings: Findings) {
    this.order = order;
    this.#file = file;
    this.#findings = findings;
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const started = await spawnProgram(this.#file, { args: [JSON.stringify(this.order)] });
    this.#program = started;
    this.lives += 1;
    void hearStanding(started, (standing) => {
      this.standing = standing;
    });
    void started.exited.then(({ code, signal }) => {
      if (started === this.#program && (code !== 0 || started.output() !== ''))
        this.#findings.add(
          'app',
          `${this.order.name} ended by itself with ${code ?? signal}:\n${started.output()}`,
        );
    });
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#starting.catch(() => {});
    const program = this.#program;
    this.#program = undefined;
    await program?.[Symbol.asyncDispose]();
  }

  pause(): void {
    this.#program?.pause();
  }

  resume(): void {
    this.#program?.resume();
  }

  /** Begins nothing new. @returns when nothing is left in its outbox */
  async finish(): Promise<void> {
    this.#program?.tell('calm');
    await this.#program?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

export interface FleetOptions {
  readonly groups: readonly Group[];
  readonly seed: number;
  /** Where they send to. */
  readonly url: string;
  readonly directory: string;
  readonly sabotage: AppSabotage | undefined;
  readonly findings: Findings;
}

export async function startFleet(options: FleetOptions, disposal: Disposal): Promise<readonly AppProcess[]> {
  const { groups, findings, ...common } = options;
  const file = await bundleApp(disposal);
  const all = groups.flatMap(({ name: group, processes, storage, settledFirst }) => {
    const siblings = Array.from({ length: processes }, (_, n) => `${group}${n}`);
    return siblings.map((name) =>
      disposal.use(
        new AppProcess({ ...common, name, group, siblings, storage, settledFirst }, file, findings),
      ),
    );
  });
  await sideBySide(all.map((app) => app.start()));
  return all;
}

export function logsOf(fleet: readonly AppProcess[]): string[] {
  return fleet.map(({ order }) => logOf(order.directory, order.name));
}
