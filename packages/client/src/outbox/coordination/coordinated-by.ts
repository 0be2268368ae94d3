import type { OutboxEvent } from '../operation/events.js';
import type { Operation } from '../operation/operation.js';
import { alone } from '../others/alone.js';
import { type Coordinator, coordinator, joinOthers } from '../others/coordinator.js';
import type { Hold } from '../others/hold.js';
import type { Holding, Others } from '../others/others.js';
import { encodeRecord } from '../store/record-codec.js';
import type { OutboxStorage } from '../store/storage.js';
import type { Coordination } from './coordination.js';
import { type HearingNeeds, hearing } from './hearing.js';
import type { News } from './news.js';
import { replaceAsKnown } from './replace-as-known.js';
import { SharedHolding } from './shared-holding.js';
import { warnOfTwoServers } from './warn-of-two-servers.js';

/** How long a call waits for another tab that is storing one of the same intent: a matter of milliseconds. */
const ENTER_MS = 10_000;

/** How much later than the end of an operation its news may come: both are a matter of milliseconds. */
const NEWS_MS = 2_000;

/** How long a delivered outcome stays for others who wait for it, where news do not carry it to them. */
const KEPT_DELIVERED_MS = 120_000;

/**
 * For storages that several may have at a time.
 * @param over what coordinates those who have a storage; `undefined` where this runtime knows that nobody else can
 */
export function coordinatedBy(over: (storage: OutboxStorage) => Coordination | undefined): Coordinator {
  return coordinator((outbox: HearingNeeds) => {
    warnOfTwoServers(outbox.storage, outbox.server());
    const coordination = over(outbox.storage);
    return coordination ? new Sharers(coordination, outbox) : joinOthers(alone, outbox);
  });
}

class Sharers implements Others {
  readonly shared = true;
  readonly newsMs: number;
  readonly #coordination: Coordination;
  readonly #outbox: HearingNeeds;
  #lead: Hold | undefined;
  #inLine: AbortController | undefined;

  constructor(coordination: Coordination, outbox: HearingNeeds) {
    this.#coordination = coordination;
    this.#outbox = outbox;
    this.newsMs = coordination.carries ? NEWS_MS : 0;
    const off = coordination.hear(hearing(this, outbox));
    outbox.closing.on(off);
  }

  get leads(): boolean {
    return this.#lead !== undefined;
  }

  async lead(owner: string | null): Promise<void> {
    this.#inLine = new AbortController();
    const { signal } = this.#inLine;
    const hold = await this.#coordination.hold(`lead ${JSON.stringify([owner, this.#outbox.app])}`, signal);
    if (signal.aborted) {
      hold.release();
      throw signal.reason;
    }
    this.#lead = hold;
  }

  get lostLead(): boolean {
    return this.#lead?.lost === true;
  }

  leave(): void {
    this.#inLine?.abort();
    this.#lead?.release();
    this.#lead = undefined;
  }

  hold(name: string): Promise<Hold> {
    return this.#coordination.hold(name, this.#outbox.closing.signal);
  }

  async enter(names: readonly string[], signal?: AbortSignal | null): Promise<Hold> {
    const { clock, closing } = this.#outbox;
    const leaving = new AbortController();
    const leave = () =>
      leaving.abort(new Error('another tab or process is at this intent, and does not go on'));
    const waits = [clock.after(ENTER_MS, leave), closing.on(leave)];
    signal?.addEventListener('abort', leave);
    const holds: Hold[] = [];
    const entry: Hold = {
      get lost() {
        return holds.some(({ lost }) => lost);
      },
      release() {
        for (const hold of holds.splice(0)) hold.release();
      },
    };
    try {
      for (const name of names) holds.push(await this.#coordination.hold(name, leaving.signal));
      return entry;
    } catch (error) {
      entry.release();
      throw error;
    } finally {
      for (const callOff of waits) callOff();
      signal?.removeEventListener('abort', leave);
    }
  }

  holding(id: string, signal: AbortSignal): Holding {
    return new SharedHolding(this.#coordination, this.#outbox, id, signal);
  }

  replace(id: string, former: string | undefined, text: string): Promise<boolean> {
    return replaceAsKnown(this.#outbox.storage, id, former, text);
  }

  handedOver(id: string, operation: Operation): Promise<void> {
    const { storage, clock } = this.#outbox;
    return this.#coordination.carries
      ? storage.delete(id)
      : storage.set(id, encodeRecord({ ...operation, deliveredAt: clock.now() }));
  }

  foundHandedOver(id: string, operation: Operation): void {
    const { handOver, lanes, storage, clock } = this.#outbox;
    // What this process has heard of before was not only now.
    if (!handOver.isRemembered(operation) && handOver.remember(operation, operation.deliveredAt))
      lanes.left(operation, operation.deliveredAt);
    if (clock.now() - operation.deliveredAt! > KEPT_DELIVERED_MS) storage.delete(id).catch(() => {});
  }

  tell(type: OutboxEvent['type'], operation: Operation, again?: true): void {
    this.#coordination.tell(JSON.stringify([type, operation, again] satisfies News));
  }
}
