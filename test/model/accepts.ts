import type { Asks, Note, Trace } from './notes.js';
import { steps } from './protocol.js';
import type { Seen, Step, Trouble } from './step.js';
import { attemptOf, initialWorld, type Stage, type World } from './world.js';

/** Where an attempt must stand to ask for something. */
const stagesOf: Readonly<Record<Asks, readonly Stage[]>> = {
  claim: ['arrived'],
  transact: ['claimed'],
  commit: ['ran'],
  read: ['refused', 'fenced', 'lost'],
  probe: ['commit-unknown'],
  release: ['releasing'],
  settle: ['answered'],
};

/** How many steps that nobody noted, or that came before they were seen, one trace may need. */
const budgets = [0, 1, 2, 3, 4, 6, 8, 12];

/** A trace that has a path has shown it long before; one that has none would be looked at for minutes. */
const MOST_PLACES = 50_000;

export interface Circumstances {
  readonly attempts: number;
  /** What happened to the stores; without it nothing is explained by it. */
  readonly troubles: ReadonlySet<Trouble>;
}

/**
 * Looks for a path through the model that a trace may have taken.
 *
 * A store does what it was asked at some moment between the question and its answer, so such moments are tried; what
 * nobody sees, such as a server that ends an abandoned transaction, may come at any time.
 *
 * @returns the trace up to the first note that no path explains; undefined when there is a path.
 */
export function unexplained(trace: Trace, circumstances: Circumstances): string | undefined {
  const search = new Search(trace, circumstances.troubles);
  for (const budget of budgets) if (search.succeeds(circumstances.attempts, budget)) return undefined;
  return search.farthest();
}

/** A place in a trace, and a world that it may have led to. */
interface Place {
  readonly at: number;
  readonly world: World;
  /** Whose answer of a store is in this world already, and is noted later. */
  readonly ahead: readonly boolean[];
}

class Search {
  readonly #trace: Trace;
  readonly #troubles: ReadonlySet<Trouble>;
  /** For each note, what each attempt is about to see of the question it has asked by then. */
  readonly #open: readonly (readonly (Seen | undefined)[])[];
  /** Places that lead nowhere, with what was left of the budget there. */
  readonly #failed = new Map<string, number>();
  #farthest = 0;

  constructor(trace: Trace, troubles: ReadonlySet<Trouble>) {
    this.#trace = trace;
    this.#troubles = troubles;
    this.#open = openQuestions(trace.notes);
  }

  succeeds(attempts: number, budget: number): boolean {
    return this.#leadsOn(
      { at: 0, world: initialWorld(attempts), ahead: Array(attempts).fill(false) },
      budget,
    );
  }

  farthest(): string {
    const told = this.#trace.notes
      .slice(0, this.#farthest + 1)
      .map(({ attempt, ...what }) => `${attempt} ${JSON.stringify(what)}`);
    if (this.#farthest === this.#trace.notes.length) told.push(`at last the record is ${this.#trace.record}`);
    return told.join('\n');
  }

  #leadsOn(place: Place, budget: number): boolean {
    const { at, world } = place;
    this.#farthest = Math.max(this.#farthest, at);
    const { notes, record } = this.#trace;
    if (at === notes.length && world.record === record) return true;
    const name = JSON.stringify(place);
    if ((this.#failed.get(name) ?? -1) >= budget || this.#failed.size > MOST_PLACES) return false;
    const note = notes[at];
    if (note) for (const next of this.#after(note, place)) if (this.#leadsOn(next, budget)) return true;
    if (budget > 0) for (const next of this.#unnoted(place)) if (this.#leadsOn(next, budget - 1)) return true;
    this.#failed.set(name, budget);
    return false;
  }

  /** Where a note leads, in the worlds in which it holds. */
  *#after(note: Note, { at, world, ahead }: Place): Generator<Place> {
    const { attempt: n } = note;
    const { stage, answer } = attemptOf(world, n);
    const on = { at: at + 1, world, ahead };
    if ('asks' in note) {
      if (!ahead[n] && stagesOf[note.asks].includes(stage)) yield on;
    } else if ('answers' in note) {
      if (JSON.stringify(answer) === JSON.stringify(note.answers)) yield on;
    } else if ('crashes' in note) {
      // What it had to do is done; nobody can tell the difference.
      if (stage === 'done') yield on;
      for (const step of steps(world)) if (step.name === `${n} crashes`) yield { ...on, world: step.world };
    } else if (ahead[n]) {
      yield { ...on, ahead: ahead.with(n, false) };
    } else {
      for (const step of this.#possible(world))
        if (step.sees === note.sees && byOf(step) === n) yield { ...on, world: step.world };
    }
  }

  /** Where a step leads that is not noted, or not yet. */
  *#unnoted({ at, world, ahead }: Place): Generator<Place> {
    const open = this.#open[at] ?? [];
    for (const step of this.#possible(world)) {
      const n = byOf(step);
      if (n === undefined) yield { at, world: step.world, ahead };
      else if (ahead[n] || step.name.endsWith(' crashes')) continue;
      else if (step.sees === undefined) {
        // It commits when it is asked to, and not while a test keeps the attempt from asking.
        if (!step.name.endsWith(' commits') || open[n]) yield { at, world: step.world, ahead };
      } else if (open[n] === step.sees) yield { at, world: step.world, ahead: ahead.with(n, true) };
    }
  }

  *#possible(world: World): Generator<Step> {
    for (const step of steps(world)) if (!step.trouble || this.#troubles.has(step.trouble)) yield step;
  }
}

/** Whose doing a step is; undefined where it is the stores'. */
function byOf({ name }: Step): number | undefined {
  const n = /^(\d+) (?!is cut off)/.exec(name)?.[1];
  return n === undefined ? undefined : Number(n);
}

function openQuestions(notes: readonly Note[]): (Seen | undefined)[][] {
  const open: (Seen | undefined)[] = [];
  return notes.map((note, at) => {
    const before = [...open];
    if ('asks' in note) {
      const answered = notes.slice(at).find((later) => later.attempt === note.attempt && 'sees' in later);
      open[note.attempt] = answered && 'sees' in answered ? answered.sees : undefined;
    } else if (!('answers' in note)) open[note.attempt] = undefined;
    return before;
  });
}
