import { createIdempotentClient, type OutboxStorage } from '@trpc-once/client';
import { fileStorage } from '@trpc-once/client/file';
import { calendar } from './shop-contract.js';

/** What only a transformer can say, so that a body that is made anew after a restore would show. */
export const booking = () => ({
  from: new Date('2025-07-01T10:00:00Z'),
  tags: new Set(['a', 'b']),
  seats: 12_345_678_901_234_567_890n,
  by: new Map([['ann', 1]]),
  note: undefined,
});

export interface Halt {
  /** The how manieth touch of the world it is, counted from 1; 0 for none. */
  readonly at: number;
  /** Whether what was asked for is done by then. */
  readonly moment: 'before' | 'after';
}

export interface HaltingClient {
  readonly client: ReturnType<typeof open>;
  /** Every touch of storage, network and time so far, by its name. */
  readonly touches: readonly string[];
  readonly halted: Promise<void>;
}

/** A client one of whose touches never comes to an end: what waits for it stands still, and nothing else does. */
export function haltingClient(url: string, directory: string, shared: boolean, halt: Halt): HaltingClient {
  const touches: string[] = [];
  let isHalted = () => {};
  const halted = new Promise<void>((resolve) => {
    isHalted = resolve;
  });
  const never = new Promise<never>(() => {});
  const touch = async <T>(name: string, act: () => Promise<T> | T): Promise<T> => {
    touches.push(name);
    if (touches.length !== halt.at) return act();
    // What it came to, a lost answer included, nobody hears any more.
    if (halt.moment === 'after') await Promise.resolve(act()).catch(() => {});
    isHalted();
    return never;
  };
  const files = fileStorage(directory, { shared });
  const what = (text: string | undefined) =>
    text === undefined ? 'nothing' : ((JSON.parse(text) as { state?: string }).state ?? 'a lease');
  const storage: OutboxStorage = {
    ...files,
    entries: () => touch('read all', () => files.entries()),
    get: (id) => touch('read', () => files.get(id)),
    set: (id, text) => touch(`write ${what(text)}`, () => files.set(id, text)),
    swap: (id, former, next) =>
      touch(`swap ${what(former)} for ${what(next)}`, () => files.swap(id, former, next)),
    delete: (id) => touch('delete', () => files.delete(id)),
  };
  return { client: open(url, storage, touch), touches, halted };
}

type Touch = <T>(name: string, act: () => Promise<T> | T) => Promise<T>;

function open(url: string, storage: OutboxStorage, touch: Touch) {
  return createIdempotentClient({
    contract: calendar,
    url,
    owner: () => 'ann',
    storage,
    resumeOnStart: false,
    fetch: (address, init) => touch('send', () => fetch(address, init)),
    clock: {
      now: () => Date.now(),
      after(delayMs, run) {
        const timer = setTimeout(() => void touch('timer', run), delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
}
