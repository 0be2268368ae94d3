import { setTimeout as delay } from 'node:timers/promises';
import { readBooks } from '@trpc-once/example-shop';
import { randomFrom } from '@trpc-once/faulty-network';
import { Disposal } from '../bank/disposal.js';
import { drawByWeight } from '../soak/draw.js';
import type { Case, Violation } from './check/case.js';
import { check } from './check/check.js';
import type { Plan } from './plan.js';
import { openStage, type Stage } from './stage/open-stage.js';
import { startRecorder } from './stage/recorder.js';
import { troubleShop } from './stage/trouble-shop.js';
import { readLedger } from './story/books.js';
import { Story } from './story/story.js';
import { heal } from './visitor/heal.js';
import { steps, type VisitorStep } from './visitor/steps.js';
import { Visitor } from './visitor/visitor.js';

/** What takes longer hangs: a killed browser is back within a few seconds. */
const STEP_MS = 30_000;
const HANGS = 'hangs';

/** What a soak came to. */
export interface PageSoakRun {
  readonly found: Case;
  /** Empty when the promise was kept. */
  readonly violations: readonly Violation[];
}

export interface PageSoakOptions {
  readonly signal?: AbortSignal;
  /** Hears every step as it is done. */
  readonly say?: (line: string) => void;
}

/** Lets visitors loose on the page, round by round; after each everything is mended, comes to its end, and is checked. */
export async function runPageSoak(plan: Plan, options: PageSoakOptions = {}): Promise<PageSoakRun> {
  const { say = () => {}, signal } = options;
  await using disposal = new Disposal();
  const story = new Story();
  const stage = await openStage(disposal);
  const visitors: Visitor[] = [];
  for (let n = 1; n <= plan.visitors; n += 1) {
    const name = `V${n}`;
    const recorder = disposal.use(await startRecorder({ visitor: name, upstream: stage.shop.port, story }));
    const random = randomFrom('visitor', plan.seed, n);
    const arriving = Visitor.arrive({ name, recorder, story, random, sabotage: plan.sabotage });
    visitors.push(disposal.use(await arriving));
  }
  const note = (visitor: string, what: string) => {
    const at = Date.now();
    story.steps.push({ at, visitor, what });
    say(`${new Date(at).toISOString().slice(11, 23)} ${visitor.padEnd(4)} ${what}`);
  };
  const began = Date.now();
  for (let round = 1; ; round += 1) {
    note('soak', `round ${round}`);
    const left = () => !signal?.aborted;
    const acting = new AbortController();
    const troubling = troubleShop({
      stage,
      random: randomFrom('shop', plan.seed, round),
      signal: acting.signal,
      note,
    });
    await Promise.all(visitors.map((visitor) => act(visitor, plan.stepsInRound, left, note)));
    acting.abort();
    await troubling;
    note('soak', 'everything is mended');
    await Promise.all(visitors.map(heal));
    const found: Case = { story, ledger: await readLedger(stage.db) };
    const violations = [...check(found), ...(await booksOff(stage))];
    if (violations.length > 0 || Date.now() >= began + plan.actMs || signal?.aborted)
      return { found, violations };
  }
}

type Note = (visitor: string, what: string) => void;

async function act(visitor: Visitor, count: number, goesOn: () => boolean, note: Note): Promise<void> {
  for (let done = 0; done < count && goesOn(); done += 1) {
    const step = drawByWeight(steps, ({ weight }) => weight, visitor.random);
    note(visitor.name, step.what);
    const more = await actWithin(STEP_MS, step, visitor);
    if (more) note(visitor.name, `  ${more}`);
  }
}

/** A tab that crashes, or a browser that hangs, under a step ends the step and nothing else. */
async function actWithin(withinMs: number, step: VisitorStep, visitor: Visitor): Promise<string | void> {
  const late = delay(withinMs, HANGS, { ref: false });
  const more = await Promise.race([
    step.act(visitor).catch((error: Error) => `could not: ${error.message.split('\n')[0]}`),
    late,
  ]);
  if (more !== HANGS) return more;
  // What somebody does whose browser answers no more.
  await visitor.killBrowser();
  return 'hung, and the browser was killed';
}

async function booksOff({ db }: Stage): Promise<Violation[]> {
  const { orders, charges, ...faults } = await readBooks(db);
  const off = Object.values({ ...faults, uncharged: orders - charges }).some((count) => count !== 0);
  return off ? [{ rule: 'books', what: JSON.stringify({ orders, charges, ...faults }), carts: [] }] : [];
}
