import { type Program, spawnProgram } from '../../resources/spawn-program.js';
import type { LoadOrder } from '../load/load-program.js';
import type { Standing } from '../load/standing.js';
import type { Findings } from '../report/findings.js';
import { hearStanding } from './client.js';

const program = new URL('../load/load-program.ts', import.meta.url);

/** A process full of senders. */
export class SoakLoad implements AsyncDisposable {
  standing: Standing = { began: 0, ended: 0 };
  readonly #program: Program<unknown>;

  private constructor(program: Program<unknown>) {
    this.#program = program;
  }

  static async start(order: LoadOrder, findings: Findings): Promise<SoakLoad> {
    const started = await spawnProgram(program, { args: [JSON.stringify(order)] });
    const load = new SoakLoad(started);
    void hearStanding(started, (standing) => {
      load.standing = standing;
    });
    void started.exited.then(({ code }) => {
      if (code !== 0 && code !== null) findings.add('load', `a load process failed:\n${started.output()}`);
    });
    return load;
  }

  /** Begins nothing new. @returns when all that it began has its outcome */
  async finish(): Promise<void> {
    this.#program.tell('calm');
    await this.#program.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}
