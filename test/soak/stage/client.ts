import { type Program, spawnProgram } from '../../resources/spawn-program.js';
import type { ClientOrder } from '../load/client-program.js';
import type { Standing } from '../load/standing.js';
import type { Findings } from '../report/findings.js';

const program = new URL('../load/client-program.ts', import.meta.url);

/** The app with the outbox: down → running → down, over the same files; told to come to its end, it does. */
export class SoakClient implements AsyncDisposable {
  /** Of its life now. */
  standing: Standing = { began: 0, ended: 0 };
  /** Operations that its lives found in the outbox. */
  resumed = 0;
  readonly #order: ClientOrder;
  readonly #findings: Findings;
  #program: Program<{ resumed: number }> | undefined;
  /** Under way, or over: who ends the app while it starts has to end what comes of that. */
  #starting: Promise<void> = Promise.resolve();

  constructor(order: ClientOrder, findings: Findings) {
    this.#order = order;
    this.#findings = findings;
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const started = await spawnProgram<{ resumed: number }>(program, { args: [JSON.stringify(this.#order)] });
    this.#program = started;
    this.resumed += started.ready.resumed;
    this.standing = { began: 0, ended: 0 };
    void hearStanding(started, (standing) => {
      this.standing = standing;
    });
    void started.exited.then(({ code, signal }) => {
      if (started === this.#program && code !== 0)
        this.#findings.add(
          'client',
          `the client ended by itself with ${code ?? signal}:\n${started.output()}`,
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

  /** Begins nothing new. @returns when all that it began has its outcome */
  async finish(): Promise<void> {
    this.#program?.tell('calm');
    await this.#program?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Until the program ends. */
export async function hearStanding(
  from: Program<unknown>,
  hear: (standing: Standing) => void,
): Promise<void> {
  try {
    for (;;) hear(await from.hear<Standing>('standing', 86_400_000));
  } catch {
    // It ended.
  }
}
