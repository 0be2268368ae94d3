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
import { Hung, inTime } from './visitor/in-time.js';
import { steps } from './visitor/steps.js';
import { Visitor } from './visitor/visitor.js';

/** Three times what a step's own waits come to, on a busy machine. */
const HANG_MS = 90_000;

/** How long the shop may take to be back after the last time it was killed. */
const SHOP_MS = 120_000;

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
    const left = () => !signal?.aborted && story.hung.length === 0;
    const acting = new AbortController();
    const troubling = troubleShop({
      stage,
      random: randomFrom('shop', plan.seed, round),
      signal: acting.signal,
      note,
    });
    await Promise.all(visitors.map((visitor) => act(visitor, plan, left, note)));
    acting.abort();
    await inTime('starting the shop again', SHOP_MS, troubling);
    if (story.hung.length === 0) {
      note('soak', 'everything is mended');
      await Promise.all(visitors.map(heal));
    }
    const found: Case = { story, ledger: await readLedger(stage.db) };
    const violations = [...check(found), ...(await booksOff(stage))];
    if (violations.length > 0 || Date.now() >= began + plan.actMs || signal?.aborted)
      return { found, violations };
  }
}

type Note = (visitor: string, what: string) => void;

/** A tab that crashes under a step ends the step and nothing else; what hangs ends the soak. */
async function act(
  visitor: Visitor,
  { stepsInRound, hangMs = HANG_MS }: Plan,
  goesOn: () => boolean,
  note: Note,
): Promise<void> {
  for (let done = 0; done < stepsInRound && goesOn(); done += 1) {
    const { what, act } = drawByWeight(steps, ({ weight }) => weight, visitor.random);
    note(visitor.name, what);
    const more = await inTime(`"${what}"`, hangMs, act(visitor)).catch(async (error: Error) => {
      const [why = ''] = error.message.split('\n');
      if (!(error instanceof Hung)) return `could not: ${why}`;
      const hung = `${why}${await visitor.silence()}`;
      visitor.story.hung.push({ visitor: visitor.name, what: hung });
      return hung;
    });
    if (more) note(visitor.name, `  ${more}`);
  }
}

async function booksOff({ db }: Stage): Promise<Violation[]> {
  const { orders, charges, ...faults } = await readBooks(db);
  const off = Object.values({ ...faults, uncharged: orders - charges }).some((count) => count !== 0);
  return off ? [{ rule: 'books', what: JSON.stringify({ orders, charges, ...faults }), carts: [] }] : [];
}
