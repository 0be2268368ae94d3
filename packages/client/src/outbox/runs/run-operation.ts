import { type Asked, type Attempted, askUntilAnswered } from '../../attempts/ask-until-answered.js';
import type { Bell } from '../../attempts/bell.js';
import { classify } from '../../attempts/classify.js';
import { pause, within } from '../../attempts/pause.js';
import type { TurnPace } from '../../attempts/retry-budget.js';
import type { UnknownReason } from '../../errors/outcome-unknown-error.js';
import type { Foundation } from '../foundation.js';
import { type Operation, operationId } from '../operation/operation.js';
import { causeOf } from '../operation/outcome.js';
import { dueAt, leftAloneUntil, putOffUntil } from '../operation/stored-times.js';
import { transition } from '../operation/transition.js';
import { encodeRecord } from '../store/record-codec.js';
import type { StoredOperations } from '../store/stored-operations.js';
import { conclusion, ended } from './conclusion.js';
import { holdBack } from './hold-back.js';
import { LEAST_RUN_MS, policyOf, type Run } from './run.js';
import type { RunEnd } from './run-end.js';
import { Stopped, stop } from './stopped.js';

/** An app that asks somebody to sign in may take its time, but not for ever: what it signs in to is parked until then. */
const RENEW_MS = 60_000;

/** How much later than it was stored an operation may be sent first, before that has to be stored as well. */
const LATE_MS = 60_000;

/** What it needs of the outbox. */
export interface AskingNeeds extends Foundation {
  readonly store: Pick<StoredOperations, 'get' | 'note' | 'save' | 'isStored' | 'isInDoubt'>;
}

/** Asks for one operation's outcome, from wherever it stands, and stores every step. */
export async function runOperation(operation: Operation, run: Run, outbox: AskingNeeds): Promise<RunEnd> {
  try {
    return await new OperationRun(operation, run, outbox).end();
  } catch (error) {
    if (error instanceof Stopped) return error.end;
    throw error;
  }
}

class OperationRun {
  #now: Operation;
  readonly #run: Run;
  readonly #outbox: AskingNeeds;
  /** As far as this run knows, its own attempts included; when storage knows of more, somebody else is at it. */
  #attempts: number;
  #renewed = false;

  constructor(operation: Operation, run: Run, outbox: AskingNeeds) {
    this.#now = operation;
    this.#run = run;
    this.#outbox = outbox;
    // One that is being sent elsewhere right now counts as news when it is over.
    const known = operation.state === 'sending' || run.unhurried ? -1 : 0;
    this.#attempts = operation.attempts + known;
  }

  async end(): Promise<RunEnd> {
    const { clock, random, budget } = this.#outbox;
    const run = this.#run;
    // One of a crowd was read a moment ago, and looks again when its turn has come.
    if (!run.crowded || this.#now.state === 'settled') await run.turn(() => this.#hold());
    const until = run.byTime && this.#now.parked === 'retry-later' ? putOffUntil : leftAloneUntil;
    await this.#waitUntil(until(this.#now, clock.now()));
    const asked = await askUntilAnswered({
      policy: policyOf(run),
      ...{ clock, random, hurry: run.hurry, closing: run.closing },
      deadline: () => this.#deadline(),
      attempt: () => this.#attempt(),
      budget: { turn: (...of) => this.#turn(...of), ended: (...of) => budget.ended(...of) },
      repeated: this.#now.attempts > 0 || this.#now.mayHaveRun,
      waiting: async ({ again: { reason, mayHaveRun }, evidence, ...times }) => {
        const after = ended(reason, evidence, clock);
        await this.#save(transition(this.#now, { to: 'waiting', after, mayHaveRun, ...times }));
        run.holding.drop();
      },
    });
    return this.#conclude(asked);
  }

  #deadline(): number {
    return this.#run.follows ? Number.POSITIVE_INFINITY : this.#run.deadline;
  }

  /** Takes the hold, if it is not held, and looks what became of the operation meanwhile. */
  async #hold(): Promise<void> {
    this.#look(await this.#run.holding.takeAndLook(this.#now));
  }

  /** What became of it. @throws Stopped when it is over */
  #look(found: Operation | undefined): void {
    if (!found || found.deliveredAt !== undefined) this.#gone(found);
    this.#now = found;
    if (found.state === 'settled' || found.state === 'expired') stop({ kind: found.state, operation: found });
  }

  /** Where somebody else has attempted it meanwhile, when the next attempt is due; `undefined` for now. */
  #othersDueAt(): number | undefined {
    const { attempts, nextAttemptAt, state } = this.#now;
    const { follows } = this.#run;
    const others = attempts > this.#attempts;
    this.#attempts = Math.max(attempts, this.#attempts);
    if (!others && !follows) return undefined;
    // Whoever had it gave up, and said so to its callers.
    if (follows && state !== 'persisted' && nextAttemptAt === undefined) this.#giveUp('attempts-spent');
    return dueAt(this.#now, follows, this.#outbox.clock.now());
  }

  /** Does something with the hold when nobody else has attempted it, or its next attempt is due. */
  async #inTurn<T>(act: () => T | Promise<T>): Promise<T> {
    for (;;) {
      let due: number | undefined;
      const done = await this.#run.turn(async () => {
        await this.#hold();
        due = this.#othersDueAt();
        return due === undefined ? { of: await act() } : undefined;
      });
      if (done) return done.of;
      await this.#waitUntil(due!, this.#run.hurry);
    }
  }

  /** Waits for a time that is not this run's to choose, holding nobody else up. */
  async #waitUntil(at: number, hurry?: Bell): Promise<void> {
    const { clock } = this.#outbox;
    const { closing, holding } = this.#run;
    while (clock.now() < at) {
      if (at > this.#deadline()) this.#giveUp(hurry ? 'wait-over' : 'retry-later');
      holding.drop();
      await pause(at - clock.now(), clock, closing, ...(hurry ? [hurry] : []));
      if (closing.closed) this.#giveUp('closed');
      await this.#hold();
      if (hurry) return;
    }
  }

  #giveUp(reason: UnknownReason): never {
    stop({ kind: 'unknown', reason, operation: this.#now });
  }

  #gone(operation = this.#now): never {
    stop({ kind: 'gone', operation });
  }

  /** A repeated attempt has its turn in the origin's budget when nobody else has its operation. */
  async #turn(pace: TurnPace, urgent: boolean): Promise<boolean> {
    const { crowded, holding } = this.#run;
    if (!crowded) await this.#inTurn(() => holding.drop());
    return this.#outbox.budget.turn(pace, urgent && !this.#run.byTime);
  }

  async #attempt(): Promise<Attempted> {
    const { session, clock, sender } = this.#outbox;
    const { closing } = this.#run;
    for (;;) {
      let renewals = 0;
      const attempted = await this.#inTurn(() => {
        renewals = session.renewals;
        return this.#attemptNow();
      });
      const { verdict, evidence } = attempted;
      if (verdict.kind !== 'park' || !evidence) return attempted;
      // Not its owner but its hold was gone at the last moment.
      const heldBack = evidence.kind === 'withheld' && this.#now.owner === sender();
      if (!heldBack) {
        if (verdict.reason !== 'unauthorized') return attempted;
        const renewing = this.#renewed ? Promise.resolve(false) : session.renewedSince(renewals);
        this.#renewed = true;
        if (!(await within(RENEW_MS, clock, closing, renewing))) return this.#forNobody(attempted);
      }
      const after = heldBack ? undefined : ended('unauthorized', evidence, clock);
      this.#note(transition(this.#now, { to: 'persisted', after }));
    }
  }

  /** Whoever signs in is somebody else than nobody, whose operation it is: parked, it would wait for ever. */
  #forNobody(attempted: Attempted): Attempted {
    const { evidence } = attempted;
    if (this.#now.owner !== null || evidence?.kind !== 'answer' || !evidence.answer) return attempted;
    return { verdict: { kind: 'declined', certain: false }, evidence };
  }

  async #attemptNow(): Promise<Attempted> {
    const { clock, send, store } = this.#outbox;
    const run = this.#run;
    const held = holdBack(this.#now, this.#outbox);
    if (held) return { verdict: held };
    if (run.follows) run.deadline = clock.now() + LEAST_RUN_MS;
    run.follows = false;
    // The age counts from the first attempt that may have run. Where storage says that nothing has left, or an age that is
    // much too high, it has to be told first: whoever finds the record after a kill goes by it. What storage may not even
    // hold is stored once more.
    const first = !this.#now.mayHaveRun && { firstSentAt: clock.now() };
    const { state, firstSentAt: stored } = this.#now;
    const id = operationId(this.#now);
    const isLate = first && (state !== 'persisted' || first.firstSentAt - stored > LATE_MS);
    if (isLate || store.isInDoubt(id)) {
      await this.#save(transition(this.#now, { to: 'persisted', ...first }));
      // Sent all the same, it would be taken for new once the server has forgotten it, and run again.
      if (!store.isStored(id, encodeRecord(this.#now)))
        throw new Error('storage does not keep that it is sent');
    }
    this.#note(transition(this.#now, { to: 'sending', ...first }));
    const now = this.#now;
    const { key, owner, path, body, retry, firstSentAt, attempts } = now;
    this.#attempts = attempts;
    const evidence = await send({
      ...{ key, owner, path, body, closing: run.closing },
      ageMs: clock.now() - firstSentAt,
      timeoutMs: retry.attemptTimeoutMs,
      mayLeave: () => !holdBack(now, this.#outbox) && run.holding.valid,
    });
    return { verdict: classify(evidence), evidence };
  }

  /** @throws Stopped when somebody else has removed it */
  #note(operation: Operation): void {
    const { store } = this.#outbox;
    if (!store.get(operationId(operation))) this.#gone();
    this.#now = store.note(operation);
  }

  async #save(operation: Operation): Promise<void> {
    if (!(await this.#outbox.store.save(operation))) {
      if (operation.state !== 'settled') this.#look(await this.#run.holding.look(this.#now));
      this.#gone(operation);
    }
    this.#now = operation;
  }

  /** Stores what the asking came to. */
  async #conclude(asked: Asked): Promise<RunEnd> {
    const { verdict, evidence } = asked;
    const { clock } = this.#outbox;
    const gaveUp = verdict.kind === 'gave-up' ? verdict.reason : undefined;
    const sent = this.#now;
    // Given up while it waited, that is noted already, and the hold is somebody else's.
    if (!gaveUp || sent.state === 'sending')
      await this.#hold().catch((error) => {
        // An answer that came after the hold was lost is as true as any.
        const isGone = error instanceof Stopped && error.end.kind === 'gone';
        if (isGone && verdict.kind === 'settled') this.#gone(conclusion(sent, asked, clock).operation);
        throw error;
      });
    if (gaveUp && this.#now.state !== 'sending') {
      const cause = causeOf(evidence, sent.key);
      return { kind: 'unknown', reason: gaveUp, operation: this.#now, cause };
    }
    const end = conclusion(this.#now, asked, clock);
    await this.#save(end.operation);
    return end;
  }
}
