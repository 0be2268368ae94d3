import { setTimeout as delay } from 'node:timers/promises';
import type { IdempotentMutateOptions } from '@trpc-once/client';
import { between, drawByWeight, pick, type Random } from '../draw.js';
import type { reporter } from '../load/standing.js';
import type { AppCall } from '../log/app-entry.js';
import type { Entry } from '../log/entry.js';
import { readLog } from '../log/log.js';
import { type App, type How, nameOf } from './app.js';
import { logOf, ownersOf } from './app-order.js';

export interface AppLifeOptions {
  readonly app: App;
  readonly random: Random;
  /** What its earlier lives noted. */
  readonly earlier: readonly Entry[];
  readonly standing: ReturnType<typeof reporter>;
  calm(): boolean;
}

/** Things that go on side by side in one app. */
const HANDS = 3;

/** Calls of one such while, from all processes of a group, mean the same. */
const JOINT_MS = 2_000;

const weights = {
  buy: 30,
  joint: 16,
  line: 10,
  again: 12,
  clash: 3,
  resume: 8,
  wait: 4,
  dismiss: 2,
  change: 5,
  reopen: 2,
} as const;

type Step = keyof typeof weights;

interface Called {
  readonly name: string;
  readonly principal: string;
  readonly how: How;
}

/** What an app does all day, drawn step by step. */
export class AppLife {
  readonly #options: AppLifeOptions;
  readonly #called: Called[];
  readonly #life: number;
  #next = 0;
  /** Somebody signs in or out, or it is opened anew: one at a time. */
  #changing = false;

  constructor(options: AppLifeOptions) {
    this.#options = options;
    this.#life = options.earlier.length;
    this.#called = options.earlier.flatMap((entry) => {
      if (entry.type !== 'asked') return [];
      const { operation, principal, call } = entry;
      const { intent, key, lane, onFailure } = call as AppCall;
      const how = { ...(intent && { intent }), ...(key && { key }), ...(lane && { lane, onFailure }) } as How;
      return [{ name: operation, principal, how }];
    });
  }

  async live(): Promise<void> {
    await Promise.all(Array.from({ length: HANDS }, () => this.#hand()));
  }

  async #hand(): Promise<void> {
    const { random, calm, standing } = this.#options;
    while (!calm()) {
      const step = drawByWeight(Object.keys(weights) as Step[], (one) => weights[one], random);
      standing.began();
      await this.#do(step);
      standing.ended();
      await delay(between([0, 400], random));
    }
  }

  async #do(step: Step): Promise<void> {
    const { app, random } = this.#options;
    switch (step) {
      case 'buy':
        return this.#call(this.#name(), this.#how());
      case 'joint': {
        const name = `${app.user}-joint-${Math.floor(Date.now() / JOINT_MS)}`;
        return this.#call(name, { intent: name });
      }
      case 'line':
        return this.#line();
      case 'again':
        return this.#again();
      case 'clash': {
        const other = pick(this.#called, random);
        if (!other?.how.intent || other.principal !== app.user) return;
        return this.#call(this.#name(), { intent: other.how.intent });
      }
      case 'resume':
        return void (await app.outbox.resume().catch(() => {}));
      case 'wait': {
        const one = pick(await app.list().catch(() => []), random);
        if (one) await app.wait(nameOf(one), one.key);
        return;
      }
      case 'dismiss': {
        const one = pick(await app.list().catch(() => []), random);
        if (one?.parked === 'lane-halted' && one.lane) await app.goOn(one.key, one.lane);
        else if (one?.state === 'parked' || one?.state === 'settled') await app.dismiss(one.key);
        return;
      }
      case 'change':
      case 'reopen':
        return this.#change(step);
    }
  }

  async #change(step: 'change' | 'reopen'): Promise<void> {
    const { app, random } = this.#options;
    if (this.#changing) return;
    this.#changing = true;
    try {
      if (step === 'reopen') await app.reopen();
      else {
        const next = pick(ownersOf(app.order.group), random);
        await app.change(next, pick(['keep', 'keep', 'purge', 'at once', 'at once'] as const, random));
        void app.outbox.resume().catch(() => {});
      }
    } finally {
      this.#changing = false;
    }
  }

  #name(): string {
    const { app } = this.#options;
    this.#next += 1;
    return `${app.order.name}-${this.#life}-${this.#next}`;
  }

  #how(): How {
    const name = `${this.#options.app.order.name}-${this.#life}-${this.#next}`;
    return pick([{ intent: name }, { intent: name }, { key: name }, {}], this.#options.random);
  }

  /** Three that depend on each other, in one breath. */
  async #line(): Promise<void> {
    const { app, random } = this.#options;
    const lane = `lane-${Math.floor(random() * 2)}`;
    const calls = Array.from({ length: 3 }, () => {
      const onFailure = random() < 0.6 ? ('halt' as const) : ('continue' as const);
      return this.#call(this.#name(), { ...this.#how(), lane, onFailure }, {});
    });
    await Promise.all(calls);
    for (const { key, parked, lane: halted } of await app.list().catch(() => []))
      if (parked === 'lane-halted' && halted !== undefined && random() < 0.5) await app.goOn(key, halted);
  }

  /** What an earlier life called and nobody has noted an outcome of is called again: the user is back at the same form. */
  async #again(): Promise<void> {
    const { app, random } = this.#options;
    const { siblings, directory } = app.order;
    const heard = new Set(
      siblings.flatMap((name) =>
        readLog(logOf(directory, name)).flatMap((entry) => (entry.type === 'told' ? [entry.operation] : [])),
      ),
    );
    const open = this.#called.filter(
      ({ name, principal, how }) =>
        principal === app.user && (how.intent ?? how.key) !== undefined && !heard.has(name),
    );
    const one = pick(open.slice(-20), random);
    if (one) await this.#call(one.name, one.how);
  }

  async #call(name: string, how: How, options?: IdempotentMutateOptions): Promise<void> {
    const { app } = this.#options;
    this.#called.push({ name, principal: app.user, how });
    await app.call(name, how, options ?? this.#patience());
  }

  /** Some wait for as long as it takes, some not at all, some leave. */
  #patience(): IdempotentMutateOptions {
    const { random } = this.#options;
    const kind = random();
    if (kind < 0.6) return {};
    if (kind < 0.8) return { waitMs: Math.floor(random() * 3_000) };
    return { signal: AbortSignal.timeout(Math.ceil(random() * 2_000)) };
  }
}
