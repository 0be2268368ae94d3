import { randomUUID } from 'node:crypto';
import {
  type ClientFetch,
  createIdempotentClient,
  type IdempotentClient,
  type IdempotentMutateOptions,
  keyOf,
  type OutboxEvent,
} from '@trpc-once/client';
import { declaredError, readIdempotency } from '@trpc-once/contract';
import { soakBank } from '../bank/soak-contract.js';
import type { Random } from '../draw.js';
import { loggingFetch } from '../load/logging-fetch.js';
import type { AppCall } from '../log/app-entry.js';
import type { ToldOutcome } from '../log/entry.js';
import type { Log } from '../log/log.js';
import { plannedOperation } from './app-operation.js';
import { type AppOrder, ownersOf } from './app-order.js';
import { forgetful, openStorage } from './app-storage.js';

/** How an operation is called, beside its input. */
export type How = Pick<AppCall, 'intent' | 'key' | 'lane' | 'onFailure'>;

const ownErrors = [
  'NotSentError',
  'IntentConflictError',
  'OutcomeUnknownError',
  'OperationParkedError',
  'OperationExpiredError',
];

/** One app with the library: somebody is signed in, and everything that it does and hears is noted before it counts. */
export class App {
  readonly order: AppOrder;
  readonly #log: Log;
  readonly #random: Random;
  #client: IdempotentClient<typeof soakBank>;
  user: string;
  #before: string;

  constructor(order: AppOrder, log: Log, random: Random) {
    this.order = order;
    this.#log = log;
    this.#random = random;
    const [ann, bob] = ownersOf(order.group);
    this.user = random() < 0.7 ? ann : bob;
    this.#before = this.user;
    this.#client = this.#open();
  }

  get outbox() {
    return this.#client.outbox;
  }

  #open(): IdempotentClient<typeof soakBank> {
    const { url, settledFirst, sabotage } = this.order;
    const storage = openStorage(this.order);
    const client = createIdempotentClient({
      contract: soakBank,
      url,
      owner: () => this.user,
      storage: sabotage === 'forgetful-outbox' ? forgetful(storage) : storage,
      headers: () => ({ 'x-user': this.#credentials() }),
      retry: { maxAttempts: 5, minDelayMs: 50, maxDelayMs: 800, attemptTimeoutMs: 2_500, waitMs: 15_000 },
      fetch: this.#fetch(),
      ...(settledFirst && sabotage !== 'caller-first' && { settledFirst: 'onSettled' as const }),
      onSettled: (operation, outcome) => {
        // The app's own database is away now and then.
        const { owner, key } = operation;
        if (this.#random() < 0.1) {
          this.#log.write({ type: 'refused', at: Date.now(), operation: nameOf(operation), key });
          throw new Error('not now');
        }
        if (owner !== this.user)
          this.wrong(nameOf(operation), `onSettled of ${owner} was told while ${this.user} was signed in`);
        this.#told(nameOf(operation), key, toldOf(outcome), 'onSettled');
      },
    });
    client.outbox.subscribe((event) => this.#hear(event));
    return client;
  }

  #credentials(): string {
    const wrong = this.order.sabotage === 'wrong-credentials' && this.#random() < 0.2;
    return wrong ? this.#before : this.user;
  }

  #fetch(): ClientFetch {
    const logged = loggingFetch(this.#log, this.order.name);
    if (this.order.sabotage !== 'new-keys') return logged;
    return (url, init) =>
      logged(url, { ...init, headers: { ...(init.headers as object), 'idempotency-key': randomUUID() } });
  }

  #hear({ type, operation }: OutboxEvent): void {
    if (operation.owner !== this.user)
      this.wrong(nameOf(operation), `an event of ${operation.owner} was told to ${this.user}`);
    if (type === 'persisted')
      this.#log.write({ type: 'kept', at: Date.now(), operation: nameOf(operation), key: operation.key });
  }

  /** Calls an operation of whoever is signed in, and notes what it is told; never rejected. */
  async call(name: string, how: How, options: IdempotentMutateOptions = {}): Promise<void> {
    const { order } = this;
    const { fate, input } = plannedOperation(order.seed, name);
    const { group, settledFirst, name: app, sabotage } = order;
    const call: AppCall = { app, group, settledFirst, ...how };
    const principal = this.user;
    const asked = { operation: name, principal, fate, path: 'transfer', input, call };
    this.#log.write({ type: 'asked', at: Date.now(), ...asked });
    const { lane: _, onFailure: __, ...unlined } = how;
    const said = sabotage === 'no-lanes' ? unlined : how;
    const outcome = this.#client.transfer.mutate(input, { ...said, ...options });
    // Somebody else has signed in: onSettled is not told before its owner is back.
    const heard = (key: string, told: ToldOutcome) => {
      if (this.user !== principal) this.#log.write({ type: 'refused', at: Date.now(), operation: name, key });
      this.#told(name, key, told, 'caller');
    };
    try {
      const data = await outcome;
      heard(await outcome.key(), { kind: 'completed', data });
    } catch (error) {
      const { name: kind, reason } = error as Error & { reason?: string };
      if (!ownErrors.includes(kind)) heard(keyOf(error) ?? '', failure(error));
      else this.#ended(name, keyOf(error) ?? '', kind, reason);
    }
  }

  #ended(operation: string, key: string, told: string, reason: string | undefined): void {
    const lies = this.order.sabotage === 'called-failed' && told === 'OutcomeUnknownError';
    const error = lies ? 'NotSentError' : told;
    this.#log.write({ type: 'ended', at: Date.now(), operation, key, error, ...(reason && { reason }) });
  }

  #told(operation: string, key: string, outcome: ToldOutcome, to: 'caller' | 'onSettled'): void {
    this.#log.write({ type: 'told', at: Date.now(), operation, key, outcome, to });
  }

  wrong(operation: string, what: string): void {
    this.#log.write({ type: 'wrong', at: Date.now(), operation, what });
  }

  /** Goes on with a lane that a failure halted. */
  async goOn(key: string, lane: string): Promise<void> {
    this.#log.write({ type: 'going on', at: Date.now(), principal: this.user, lane });
    await this.outbox.resume(key, { waitMs: 8_000 }).catch(() => {});
  }

  /** Waits for an operation that somebody called. */
  async wait(name: string, key: string): Promise<void> {
    try {
      const data = await this.outbox.wait(key, { waitMs: 2_000 });
      this.#told(name, key, { kind: 'completed', data }, 'caller');
    } catch (error) {
      const told = failure(error);
      if (told.kind === 'failed') this.#told(name, key, told, 'caller');
    }
  }

  async dismiss(key: string): Promise<void> {
    this.#log.write({ type: 'dropping', at: Date.now(), principal: this.user, key });
    await this.outbox.dismiss(key).catch(() => {});
  }

  /** The next one signs in, with or without a word to the outbox. */
  async change(user: string, how: 'keep' | 'purge' | 'at once'): Promise<void> {
    // Said before and after: what is called meanwhile is dropped with the rest.
    const dropping = () =>
      how === 'purge' && this.#log.write({ type: 'dropping', at: Date.now(), principal: this.user });
    dropping();
    if (how !== 'at once')
      await this.outbox.signOut({ pending: how, waitMs: Math.floor(this.#random() * 1_000) }).catch(() => {});
    dropping();
    this.#before = this.user;
    this.user = user;
  }

  async reopen(): Promise<void> {
    await this.outbox.close();
    this.#client = this.#open();
  }

  /** What is left of whoever is signed in; nothing of anybody else may be among it. */
  async list() {
    const { user } = this;
    const all = await this.outbox.list();
    for (const operation of all)
      if (operation.owner !== user && operation.owner !== this.user)
        this.wrong(nameOf(operation), `${operation.owner}'s was listed for ${user}`);
    return all;
  }
}

export function nameOf({ body }: { readonly body: string | null }): string {
  return (JSON.parse(body as string) as { reference: string }).reference;
}

function toldOf(outcome: { ok: true; data: unknown } | { ok: false; error: unknown }): ToldOutcome {
  return outcome.ok ? { kind: 'completed', data: outcome.data } : failure(outcome.error);
}

function failure(error: unknown): ToldOutcome {
  const settlement = readIdempotency(error)?.settlement;
  return settlement === 'settled' || settlement === 'replayed'
    ? {
        kind: 'failed',
        message: (error as Error).message,
        declared: declaredError(error, soakBank.transfer),
      }
    : { kind: 'ended', why: String(error) };
}
