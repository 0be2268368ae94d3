import { type Asked, type Attempted, askUntilAnswered } from '../attempts/ask-until-answered.js';
import type { Bell } from '../attempts/bell.js';
import { classify } from '../attempts/classify.js';
import type { Evidence } from '../attempts/evidence.js';
import { pause, within } from '../attempts/pause.js';
import type { TurnPace } from '../attempts/retry-budget.js';
import { conclusion, ended } from './conclusion.js';
import { holdBack } from './hold-back.js';
import { type Operation, operationId } from './operation.js';
import { causeOf } from './outcome.js';
import type { RunEnd } from './run-end.js';
import { policyOf, type RunPace } from './run-pace.js';
import type { RunPorts } from './run-ports.js';
import { Stopped, stop } from './stopped.js';
import { dueAt, leftAloneUntil, putOffUntil } from './stored-times.js';
import { transition } from './transition.js';

/** An app that asks somebody to sign in may take its time, but not for ever: what it signs in to is parked until then. */
const RENEW_MS = 60_000;

/** Asks for one operation's outcome, from wherever it stands, and stores every step. */
export async function runOperation(operation: Operation, pace: RunPace, ports: RunPorts): Promise<RunEnd> {
  try {
    return await new OperationRun(operation, pace, ports).end();
  } catch (error) {
    if (error instanceof Stopped) return error.end;
    throw error;
  }
}

class OperationRun {
  #now: Operation;
  readonly #pace: RunPace;
  readonly #ports: RunPorts;
  /** As far as this run knows, its own attempts included; when storage knows of more, somebody else is at it. */
  #attempts: number;
  #renewed = false;

  constructor(operation: Operation, pace: RunPace, ports: RunPorts) {
    this.#now = operation;
    this.#pace = pace;
    this.#ports = ports;
    // One that is being sent elsewhere right now counts as news when it is over.
    const known = operation.state === 'sending' || pace.unhurried ? -1 : 0;
    this.#attempts = operation.attempts + known;
  }

  async end(): Promise<RunEnd> {
    const { clock, random, budget } = this.#ports;
    const { hurry, closing, deadline, holding, crowded, byTime } = this.#pace;
    // One of a crowd was read a moment ago, and looks again when its turn has come.
    if (!crowded || this.#now.state === 'settled') await this.#pace.turn(() => this.#hold());
    const until = byTime() && this.#now.parked === 'retry-later' ? putOffUntil : leftAloneUntil;
    await this.#waitUntil(until(this.#now, clock.now()));
    const { retry, attempts, mayHaveRun } = this.#now;
    const asked = await askUntilAnswered({
      policy: policyOf(retry, byTime),
      clock,
      random,
      hurry,
      closing,
      deadline,
      attempt: () => this.#attempt(),
      budget: { turn: (...of) => this.#turn(...of), ended: (...of) => budget.ended(...of) },
      repeated: attempts > 0 || mayHaveRun,
      waiting: async ({ again: { reason, mayHaveRun }, evidence, ...times }) => {
        const after = ended(reason, evidence, clock);
        await this.#save(transition(this.#now, { to: 'waiting', after, mayHaveRun, ...times }));
        holding.drop();
      },
    });
    return this.#conclude(asked);
  }

  /** Takes the hold, if it is not held, and looks what became of the operation meanwhile. */
  async #hold(): Promise<void> {
    const { holding, closing } = this.#pace;
    if (!this.#ports.coordination.shared) return;
    try {
      if (!(await holding.take())) return;
    } catch (error) {
      if (closing.closed) return stop({ kind: 'unknown', reason: 'closed', operation: this.#now });
      throw error;
    }
    await this.#look();
  }

  /** What storage says became of it. */
  async #look(): Promise<void> {
    const found = await this.#ports.store.refresh(operationId(this.#now));
    if (!found || found.deliveredAt !== undefined)
      return stop({ kind: 'gone', operation: found ?? this.#now });
    this.#now = found;
    if (found.state === 'settled' || found.state === 'expired') stop({ kind: found.state, operation: found });
  }

  /** Waits for a time that is not this run's to choose, holding nobody else up. */
  async #waitUntil(at: number, hurry?: Bell): Promise<void> {
    const { clock } = this.#ports;
    const { deadline, closing, holding } = this.#pace;
    while (clock.now() < at) {
      const operation = this.#now;
      const reason = hurry ? 'wait-over' : 'retry-later';
      if (at > deadline()) stop({ kind: 'unknown', reason, operation });
      holding.drop();
      await pause(at - clock.now(), clock, closing, ...(hurry ? [hurry] : []));
      if (closing.closed) stop({ kind: 'unknown', reason: 'closed', operation });
      await this.#hold();
      if (hurry) return;
    }
  }

  /** Where somebody else has attempted it meanwhile, when the next attempt is due; `undefined` for now. */
  #othersDueAt(): number | undefined {
    const { attempts, nextAttemptAt, state } = this.#now;
    const follows = this.#pace.follows();
    const others = attempts > this.#attempts;
    this.#attempts = Math.max(attempts, this.#attempts);
    if (!others && !follows) return undefined;
    // Whoever had it gave up, and said so to its callers.
    if (follows && state !== 'persisted' && nextAttemptAt === undefined)
      stop({ kind: 'unknown', reason: 'attempts-spent', operation: this.#now });
    return dueAt(this.#now, follows, this.#ports.clock.now());
  }

  /** Does something with the hold when nobody else has attempted it, or its next attempt is due. */
  async #inTurn<T>(act: () => T | Promise<T>): Promise<T> {
    for (;;) {
      let due: number | undefined;
      const done = await this.#pace.turn(async () => {
        await this.#hold();
        due = this.#othersDueAt();
        return due === undefined ? { of: await act() } : undefined;
      });
      if (done) return done.of;
      await this.#waitUntil(due!, this.#pace.hurry);
    }
  }

  /** A repeated attempt has its turn in the origin's budget when nobody else has its operation. */
  async #turn(pace: TurnPace, urgent: boolean): Promise<boolean> {
    if (!this.#pace.crowded) await this.#inTurn(() => this.#pace.holding.drop());
    return this.#ports.budget.turn(pace, urgent && !this.#pace.byTime());
  }

  async #attempt(): Promise<Attempted> {
    const { session, clock } = this.#ports;
    for (;;) {
      let renewals = 0;
      const { verdict, evidence } = await this.#inTurn(() => {
        renewals = session.renewals;
        return this.#attemptNow();
      });
      if (verdict.kind !== 'park' || !evidence) return { verdict, ...(evidence && { evidence }) };
      // Not its owner but its hold was gone at the last moment.
      const heldBack = evidence.kind === 'withheld' && this.#now.owner === this.#ports.owner();
      if (!heldBack) {
        if (verdict.reason !== 'unauthorized' || this.#renewed) return { verdict, evidence };
        this.#renewed = true;
        const renewing = session.renewedSince(renewals);
        if (!(await within(RENEW_MS, clock, this.#pace.closing, renewing))) return { verdict, evidence };
      }
      const after = heldBack ? undefined : ended('unauthorized', evidence, clock);
      this.#note(transition(this.#now, { to: 'waiting', after, mayHaveRun: false }));
    }
  }

  async #attemptNow(): Promise<Attempted> {
    const held = holdBack(this.#now, this.#ports);
    if (held) return { verdict: held };
    this.#pace.stepIn();
    this.#note(transition(this.#now, { to: 'sending' }));
    this.#attempts = this.#now.attempts;
    const evidence = await this.#send();
    return { verdict: classify(evidence), evidence };
  }

  #send(): Promise<Evidence> {
    const { key, path, body, retry, firstSentAt, owner } = this.#now;
    const { coordination, clock } = this.#ports;
    const { closing, holding } = this.#pace;
    return this.#ports.send({
      key,
      path,
      body,
      ageMs: clock.now() - firstSentAt,
      timeoutMs: retry.attemptTimeoutMs,
      mayLeave: () => this.#ports.owner() === owner && (!coordination.shared || holding.valid),
      closing,
    });
  }

  /** @throws Stopped when somebody else has removed it */
  #note(operation: Operation): void {
    const { store } = this.#ports;
    if (!store.get(operationId(operation))) stop({ kind: 'gone', operation: this.#now });
    this.#now = store.note(operation);
  }

  async #save(operation: Operation): Promise<Operation> {
    const { store, coordination } = this.#ports;
    if (await store.save(operation)) {
      this.#now = operation;
      return operation;
    }
    if (coordination.shared && operation.state !== 'settled') await this.#look();
    return stop({ kind: 'gone', operation });
  }

  /** Stores what the asking came to. */
  async #conclude(asked: Asked): Promise<RunEnd> {
    const { verdict, evidence } = asked;
    // Given up while it waited: that is noted already, and the hold is somebody else's.
    const waited = (): boolean => verdict.kind === 'gave-up' && this.#now.state !== 'sending';
    const sent = this.#now;
    // An answer that came after the hold was lost is as true as any.
    if (!waited())
      await this.#hold().catch((error) => {
        const isGone = error instanceof Stopped && error.end.kind === 'gone';
        if (!isGone || verdict.kind !== 'settled') throw error;
        stop({ kind: 'gone', operation: conclusion(sent, asked, this.#ports.clock).operation });
      });
    if (verdict.kind === 'gave-up' && waited())
      return {
        kind: 'unknown',
        reason: verdict.reason,
        operation: this.#now,
        cause: causeOf(evidence, this.#now.key),
      };
    const end = conclusion(this.#now, asked, this.#ports.clock);
    await this.#save(end.operation);
    return end;
  }
}
