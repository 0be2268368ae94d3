import type { Coordination } from '../outbox/coordination/coordination.js';
import type { DurableOutbox } from '../outbox/durable-outbox.js';
import type { Hold } from '../outbox/others/hold.js';
import type { OutboxStorage } from '../outbox/store/storage.js';
import { type OpenOptions, textStorage, type World } from './world.js';

/** A tab of a {@link Browser}, over the texts of a world. */
export interface Tab {
  readonly outbox: DurableOutbox;
  /** Ends it as a crash does: what it had is free, what it was doing never comes to an end. */
  kill(): void;
  /** Puts it to sleep: nothing in it goes on until `wake()`, and what it holds it loses. */
  freeze(): void;
  wake(): void;
  /** How many holds it has or waits for. */
  readonly holds: number;
}

interface Request {
  readonly tab: object;
  readonly grant: () => void;
}

/** Tabs over one storage, with Web Locks and a BroadcastChannel as browsers have them: first come, first served. */
export class Browser {
  readonly #world: World;
  readonly #queues = new Map<string, Request[]>();
  readonly #listeners = new Map<object, Set<(news: string | undefined) => void>>();
  /** Operations being sent right now, and by how many tabs. */
  readonly senders = new Map<string, number>();
  mostSenders = 0;
  /** How news travel: later than this, when a test says so. */
  carry: (arrive: () => void) => void = queueMicrotask;

  constructor(world: World) {
    this.#world = world;
  }

  open(options: OpenOptions = {}): Tab {
    const tab = {};
    let dead = false;
    let thaw: (() => void) | undefined;
    let frozen: Promise<void> | undefined;
    const lost: (() => void)[] = [];
    const ends = new Set<() => void>();
    /** A tab begins and hears of things when it is awake; a dead one, never. */
    const awake = async <T>(act: () => Promise<T>): Promise<T> => {
      while (frozen && !dead) await frozen;
      if (dead) return new Promise<never>(() => {});
      const settled = await act().then(
        (data) => () => data,
        (error) => () => {
          throw error;
        },
      );
      while (frozen && !dead) await frozen;
      return dead ? new Promise<never>(() => {}) : settled();
    };
    const texts = textStorage(this.#world.texts);
    const storage: OutboxStorage = {
      ...texts,
      entries: () => awake(() => texts.entries()),
      get: (id) => awake(() => texts.get(id)),
      set: (id, text) => awake(() => texts.set(id, text)),
      swap: (id, former, next) => awake(() => texts.swap(id, former, next)),
      delete: (id) => awake(() => texts.delete(id)),
    };
    const listeners = new Set<(news: string | undefined) => void>();
    this.#listeners.set(tab, listeners);
    const coordination: Coordination = {
      carries: true,
      hold: (name, signal) => awake(() => this.#hold(tab, name, signal, lost)),
      tell: (news) => {
        for (const [other, all] of this.#listeners)
          if (other !== tab && !dead) for (const one of all) this.carry(() => one(news));
      },
      hear: (listener) => {
        const own = (news: string | undefined) => void awake(async () => {}).then(() => listener(news));
        listeners.add(own);
        return () => listeners.delete(own);
      },
    };
    const outbox = this.#world.open({
      storage,
      coordination,
      network: (attempt, send) =>
        awake(async () => {
          if (!attempt.mayLeave()) return { kind: 'withheld' };
          const now = (this.senders.get(attempt.key) ?? 0) + 1;
          this.senders.set(attempt.key, now);
          this.mostSenders = Math.max(this.mostSenders, now);
          let over = () => {
            over = () => {};
            this.senders.set(attempt.key, this.senders.get(attempt.key)! - 1);
          };
          ends.add(() => over());
          return send().finally(() => over());
        }),
      ...options,
    });
    const letGo = () => {
      for (const lose of lost.splice(0)) lose();
      for (const queue of this.#queues.values()) {
        const [first] = queue;
        const left = queue.filter((request) => request.tab !== tab);
        if (left.length === queue.length) continue;
        queue.splice(0, queue.length, ...left);
        if (first?.tab === tab) queue[0]?.grant();
      }
    };
    return {
      outbox,
      get holds() {
        return lost.length;
      },
      kill: () => {
        dead = true;
        thaw?.();
        this.#listeners.delete(tab);
        for (const end of ends) end();
        letGo();
      },
      freeze: () => {
        // Frozen twice, it wakes once.
        frozen ??= new Promise((resolve) => {
          thaw = resolve;
        });
        // A frozen page's requests are held up too; the server has them or not.
        for (const end of ends) end();
        for (const lose of lost.splice(0)) lose();
      },
      wake: () => {
        frozen = undefined;
        thaw?.();
      },
    };
  }

  async #hold(tab: object, name: string, signal: AbortSignal, lost: (() => void)[]): Promise<Hold> {
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    return new Promise((resolve, reject) => {
      const leave = () => {
        const at = queue.indexOf(request);
        if (at < 0) return;
        queue.splice(at, 1);
        if (at === 0) queue[0]?.grant();
      };
      const request: Request = {
        tab,
        grant: () => {
          signal.removeEventListener('abort', abort);
          const hold = { lost: false, release: () => leave() };
          const lose = () => {
            hold.lost = true;
            leave();
          };
          lost.push(lose);
          hold.release = () => {
            lost.splice(lost.indexOf(lose) >>> 0, 1);
            leave();
          };
          resolve(hold);
        },
      };
      const abort = () => {
        leave();
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort);
      queue.push(request);
      if (queue[0] === request) request.grant();
    });
  }
}
