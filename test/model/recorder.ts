import type { FaultPoint } from '@trpc-once/server';
import type { Asks, Note } from './notes.js';
import type { Seen, Trouble } from './step.js';

/** Where attempts can be kept; a lost COMMIT is looked up against the clock, and renewals go by timers. */
const asksAt: Partial<Record<FaultPoint, Asks>> = {
  claiming: 'claim',
  beginning: 'transact',
  ran: 'commit',
  reading: 'read',
  probing: 'probe',
  releasing: 'release',
  telling: 'settle',
};
const passing: readonly FaultPoint[] = ['renewing', 'renewed', 'probed', 'watching', 'watched'];

/** An attempt that stands at a point. */
export interface Standing {
  readonly attempt: number;
  readonly point: FaultPoint;
  go(): void;
}

/** Notes what happens to the attempts at one operation, and keeps each at each point until it is told to go. */
export class Recorder {
  readonly notes: Note[] = [];
  /** What happened to the stores, as far as it showed. */
  readonly troubles = new Set<Trouble>();
  readonly #standing: (Standing & { end(): void })[] = [];
  readonly #dead = new Set<number>();
  readonly #answered = new Set<number>();
  readonly #heard = new Map<number, 'ACQUIRED' | 'IN_PROGRESS' | 'SETTLED'>();
  /** Flows that are under way between two points; telling the claim store is a flow beside the attempt's own. */
  #flows = 0;
  #closed = false;

  note(note: Note): void {
    // One that stopped waiting for a probe hears of it all the same, and takes no notice.
    const isLate = 'sees' in note && note.sees.startsWith('probe') && this.#answered.has(note.attempt);
    if (this.#dead.has(note.attempt) || isLate) return;
    if ('answers' in note) this.#answered.add(note.attempt);
    this.notes.push(note);
  }

  sees(attempt: number, sees: Seen): void {
    this.note({ attempt, sees });
  }

  /** What the claim store said; whether it was in time shows at `claimed`. */
  hears(attempt: number, reply: 'ACQUIRED' | 'IN_PROGRESS' | 'SETTLED'): void {
    this.#heard.set(attempt, reply);
  }

  begins(): void {
    this.#flows++;
  }

  ends(): void {
    this.#flows--;
  }

  /** Whether everybody stands somewhere, or is through. */
  isQuiet(): boolean {
    return this.#flows === 0;
  }

  crash(attempt: number): void {
    this.note({ attempt, crashes: true });
    this.#dead.add(attempt);
  }

  isDead(attempt: number): boolean {
    return this.#dead.has(attempt);
  }

  /** Those who stand somewhere and may go on. */
  living(): Standing[] {
    return this.#standing.filter(({ attempt }) => !this.#dead.has(attempt));
  }

  /** Everything is over, or went wrong: whoever still stands ends, and nobody stands any more. */
  close(): void {
    this.#closed = true;
    for (const { end } of [...this.#standing]) end();
  }

  async at(attempt: number, point: FaultPoint): Promise<void> {
    if (this.#closed || passing.includes(point)) return;
    if (point === 'claimed') this.sees(attempt, `claim ${this.#heard.get(attempt) ?? 'UNAVAILABLE'}`);
    if (point === 'begun' || point === 'ran') this.sees(attempt, point);
    if (point === 'released') this.sees(attempt, 'release');
    if (point === 'told') this.sees(attempt, 'settle');
    if (point !== 'probing') await this.#stand(attempt, point);
    const asks = asksAt[point];
    if (asks) this.note({ attempt, asks });
  }

  async #stand(attempt: number, point: FaultPoint): Promise<void> {
    if (point !== 'telling') this.#flows--;
    await new Promise<void>((resolve, reject) => {
      const leave = (how: () => void) => () => {
        this.#standing.splice(this.#standing.indexOf(self), 1);
        if (point !== 'told') this.#flows++;
        how();
      };
      const self = { attempt, point, go: leave(resolve), end: leave(() => reject(new Error('killed'))) };
      this.#standing.push(self);
    });
  }
}
