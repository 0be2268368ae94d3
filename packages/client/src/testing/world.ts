import { defaultRetryPolicy, type IdempotencyFacts, type RetryPolicy } from '@trpc-once/contract';
import { readAnswer } from '../attempts/answer.js';
import type { Evidence } from '../attempts/evidence.js';
import { RetryBudget } from '../attempts/retry-budget.js';
import type { Attempt } from '../attempts/send-attempt.js';
import { Session } from '../attempts/session.js';
import { wireTransformer } from '../attempts/transformer.js';
import type { Call } from '../outbox/calls/call.js';
import { coordinatedBy } from '../outbox/coordination/coordinated-by.js';
import type { Coordination } from '../outbox/coordination/coordination.js';
import { DurableOutbox } from '../outbox/durable-outbox.js';
import type { OnSettled } from '../outbox/hand-over/on-settled.js';
import type { OutboxEvent } from '../outbox/operation/events.js';
import type { Operation } from '../outbox/operation/operation.js';
import type { Outcome } from '../outbox/operation/outcome.js';
import { alone } from '../outbox/others/alone.js';
import type { OutboxPorts } from '../outbox/ports.js';
import type { OutboxStorage } from '../outbox/store/storage.js';
import { FakeClock } from './fake-clock.js';

const wire = wireTransformer(undefined);

/** What a server says in `body` under `status`. */
export function says(status: number, body: unknown, retryAfterMs?: number): Evidence {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = readAnswer(text, wire);
  return { kind: 'answer', status, retryAfterMs, sentOnce: true, replayed: false, text, answer };
}

export function fails(httpStatus: number, idempotency?: IdempotencyFacts, retryAfterMs?: number): Evidence {
  const data = { code: 'ANY', httpStatus, ...(idempotency && { idempotency }) };
  return says(httpStatus, { error: { code: -32000, message: `says ${httpStatus}`, data } }, retryAfterMs);
}

export const lost: Evidence = {
  kind: 'silence',
  why: 'network',
  mayHaveArrived: true,
  cause: new Error('reset'),
};
export const refused: Evidence = {
  kind: 'silence',
  why: 'network',
  mayHaveArrived: false,
  cause: new Error('refused'),
};

/** A server that runs each key of each owner once, and the texts that survive a reload; a test scripts the rest. */
export interface World {
  readonly clock: FakeClock;
  readonly texts: Map<string, string>;
  readonly sent: Attempt[];
  /** Keys in the order they took effect. */
  readonly effects: string[];
  /** The next attempts meet this, one each, before the server works as it should. */
  readonly script: ((attempt: Attempt, commit: () => Evidence) => Evidence | Promise<Evidence>)[];
  readonly told: { readonly operation: Operation; readonly outcome: Outcome }[];
  readonly events: OutboxEvent[];
  signedIn: string | null;
  send(attempt: Attempt): Promise<Evidence>;
  /** A process: opens an outbox over the texts, as a reload does. */
  open(options?: OpenOptions): DurableOutbox;
}

export interface OpenOptions {
  readonly storage?: OutboxStorage;
  readonly onSettled?: OnSettled | undefined;
  readonly refresh?: () => Promise<boolean>;
  readonly knows?: (path: string) => boolean;
  readonly app?: string;
  /** Who is signed in here, where that differs between tabs. */
  readonly owner?: () => string | null;
  /** Where this process sends. */
  readonly server?: string | (() => string);
  readonly coordination?: Coordination;
  readonly settledFirst?: boolean;
  readonly rhythm?: Pick<RetryPolicy, 'minDelayMs' | 'maxDelayMs'>;
  readonly budget?: RetryBudget;
  readonly onWake?: OutboxPorts['onWake'];
  /** What stands between this process and the network. */
  readonly network?: (attempt: Attempt, send: () => Promise<Evidence>) => Promise<Evidence>;
}

export function textStorage(texts: Map<string, string>, more: Partial<OutboxStorage> = {}): OutboxStorage {
  return {
    name: 'texts',
    durable: true,
    coordination: alone,
    entries: async () => [...texts].map(([id, text]) => ({ id, text })),
    get: async (id) => (texts.has(id) ? { id, text: texts.get(id) } : undefined),
    async swap(id, former, next) {
      if (texts.get(id) !== former) return false;
      if (next === undefined) texts.delete(id);
      else texts.set(id, next);
      return true;
    },
    set: async (id, text) => void texts.set(id, text),
    delete: async (id) => void texts.delete(id),
    ...more,
  };
}

/** The same, each use of which takes its time. */
export function slowStorage(
  { texts, clock }: Pick<World, 'texts' | 'clock'>,
  ms: () => number,
): OutboxStorage {
  const { entries, get, swap, set, delete: remove, ...rest } = textStorage(texts);
  const slowly =
    <A extends unknown[], T>(use: (...args: A) => Promise<T>) =>
    async (...args: A) => {
      await new Promise<void>((resolve) => clock.after(ms(), resolve));
      return use(...args);
    };
  return {
    ...rest,
    ...{ entries: slowly(entries), get: slowly(get), swap: slowly(swap) },
    ...{ set: slowly(set), delete: slowly(remove) },
  };
}

export function world(): World {
  const clock = new FakeClock();
  const it: World = {
    clock,
    texts: new Map(),
    sent: [],
    effects: [],
    script: [],
    told: [],
    events: [],
    signedIn: 'ann',
    async send(attempt) {
      if (!attempt.mayLeave()) return { kind: 'withheld' };
      it.sent.push(attempt);
      const commit = () => {
        if (!it.effects.includes(attempt.key)) it.effects.push(attempt.key);
        return says(200, { result: { data: `done ${attempt.key}` } });
      };
      const closed = new Promise<Evidence>((resolve) => {
        const silence: Evidence = { kind: 'silence', why: 'closed', mayHaveArrived: true, cause: 0 };
        attempt.closing.on(() => resolve(silence));
      });
      return Promise.race([it.script.shift()?.(attempt, commit) ?? commit(), closed]);
    },
    open({ storage = textStorage(it.texts), coordination, ...options } = {}) {
      const outbox = new DurableOutbox({
        storage: coordination ? { ...storage, coordination: coordinatedBy(() => coordination) } : storage,
        clock,
        random: () => 0.5,
        budget: options.budget ?? new RetryBudget(clock, () => 0.5),
        transformer: wire,
        owner: options.owner ?? (() => it.signedIn),
        server: () => {
          const { server = 'https://shop.example/trpc' } = options;
          return typeof server === 'string' ? server : server();
        },
        settledFirst: options.settledFirst === true,
        rhythm: options.rhythm && { ...options.rhythm, clock },
        onWake: options.onWake,
        knows: options.knows ?? (() => true),
        app: options.app ?? 'the shop',
        session: new Session(options.refresh),
        onSettled:
          'onSettled' in options
            ? options.onSettled
            : (operation, outcome) => void it.told.push({ operation, outcome }),
        send: (attempt) => (options.network ?? ((_, send) => send()))(attempt, () => it.send(attempt)),
      });
      outbox.subscribe((event) => it.events.push(event));
      return outbox;
    },
  };
  return it;
}

let calls = 0;

/** A call as the link makes it. */
export function call(
  change: Partial<Omit<Call, 'retry'>> & { readonly retry?: Partial<RetryPolicy> } = {},
): Call {
  calls += 1;
  const retry = { ...defaultRetryPolicy, ...change.retry };
  return {
    key: `key-${calls}`,
    keyGiven: change.key !== undefined,
    path: 'orders.place',
    body: '{"sku":"tea","quantity":1}',
    retentionMs: 86_400_000,
    waitMs: retry.waitMs,
    ...change,
    retry,
  };
}

/** The error of a call that ought to fail. */
export async function rejection(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    (data) => Promise.reject(new Error(`it did not fail, it gave ${String(data)}`)),
    (error) => error,
  );
}

/** How a promise ended, for looking at without waiting. */
export function watched<T>(promise: Promise<T>): { data?: T; error?: unknown; ended: boolean } {
  const seen: { data?: T; error?: unknown; ended: boolean } = { ended: false };
  promise.then(
    (data) => Object.assign(seen, { data, ended: true }),
    (error) => Object.assign(seen, { error, ended: true }),
  );
  return seen;
}
