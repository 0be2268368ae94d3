import { send } from '../bank/index.js';
import type { Sent } from '../bank/send.js';
import { until } from '../resources/index.js';
import type { Victim } from './victim.js';
import type { Way } from './ways-to-points.js';

/** An outcome comes as late as this: the lease is 1 s, and finding out about a lost COMMIT takes 1.5 s at most. */
const OUTCOME_MS = 10_000;

/** One key, and every answer that any caller got for it from any process. */
export class Operation {
  readonly way: Way;
  readonly key: string;
  readonly answers: Sent[] = [];
  /** What the victim told of the attempt that the fault befell; `undefined` when its connection ended instead. */
  victims: Promise<Sent | undefined> = Promise.resolve(undefined);

  constructor(way: Way, key: string) {
    this.way = way;
    this.key = key;
  }

  async ask(url: string): Promise<Sent> {
    const answer = await send(url, 'echo', this.key, { key: this.key });
    this.answers.push(answer);
    return answer;
  }

  async askForOutcome(url: string): Promise<void> {
    await until(async () => (await this.ask(url)).status === 200, {
      withinMs: OUTCOME_MS,
      everyMs: 100,
      what: `an outcome of ${this.key}, whose first attempt stood at "${this.way.point}"`,
    });
  }

  /** Sends an attempt to the victim and waits until it stands at its point. */
  async bring(victim: Victim): Promise<void> {
    const { point, handler, lost } = this.way;
    await victim.order({ key: this.key, haltAt: point, ...(handler && { handler }) });
    const wire = lost && victim.postgres.cutBefore('COMMIT', lost === 'COMMIT' ? 'to-upstream' : 'to-client');
    this.victims = this.ask(victim.url).catch(() => undefined);
    await victim.halted(this.key);
    if (wire && !(await wire)) throw new Error(`${lost} was not lost`);
  }
}
