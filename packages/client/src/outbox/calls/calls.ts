import { IntentConflictError } from '../../errors/intent-conflict-error.js';
import { isNotSent, type NotSentError } from '../../errors/not-sent-error.js';
import { OutcomeUnknownError } from '../../errors/outcome-unknown-error.js';
import type { HandOver } from '../hand-over/hand-over.js';
import { laneName, type Operation, operationId, wasDeclined } from '../operation/operation.js';
import type { Hold } from '../others/hold.js';
import type { Others } from '../others/others.js';
import { type DamagedRecord, mentions } from '../store/damaged-record.js';
import { type BeginNeeds, type Beginning, type Begun, begin, refuse, refuseIfOver } from './begin.js';
import type { Call } from './call.js';
import { differs } from './differs.js';
import { Entering } from './entering.js';
import type { Joining } from './joining.js';
import { leaveToOwner } from './meant-for.js';
import { patienceOf } from './patience.js';
import { warnOfSecond } from './warn-of-second.js';

/** What they need of the outbox. */
export interface CallsNeeds extends BeginNeeds {
  readonly joining: Joining;
  readonly handOver: HandOver;
  readonly others: Others;
}

/** The outcome is wrapped, or it would be waited for by whoever awaits how a call entered. */
interface Entered {
  readonly outcome: Promise<unknown>;
}

/** Those who call: each becomes an operation, or finds the one that it is. */
export class Calls {
  readonly #outbox: CallsNeeds;
  readonly #entering = new Entering();

  constructor(outbox: CallsNeeds) {
    this.#outbox = outbox;
  }

  /**
   * Makes the call an operation, or joins the pending one that it is, and waits for the outcome.
   * @throws the settled error, or one of this package's
   */
  async submit(call: Call): Promise<unknown> {
    let owner: string | null = null;
    try {
      owner = this.#outbox.owner();
    } catch (cause) {
      refuse(call, 'options', 'owner() did not say who is signed in', cause);
    }
    let entered: Entered;
    try {
      refuseIfOver(call, this.#outbox);
      const { owner: meant = owner } = call;
      if (meant !== owner) await leaveToOwner(call, meant, this.#outbox, () => this.#pending(call, meant));
      entered = await this.#enterAs(call, owner);
    } catch (error) {
      throw isNotSent(error) ? this.#keptAllTheSame(call, owner, error) : error;
    }
    return entered.outcome;
  }

  async #enterAs(call: Call, owner: string | null): Promise<Entered> {
    const { intent, lane, key } = call;
    const names: string[] = [];
    if (call.keyGiven) names.push(`key ${operationId({ owner, key })}`);
    if (intent !== undefined) names.push(`intent ${JSON.stringify([owner, intent])}`);
    if (lane !== undefined) names.push(laneName({ owner, lane }));
    if (names.length === 0) warnOfSecond(call, owner, this.#outbox);
    return names.length === 0 ? this.#begin(call, owner) : this.#enter(call, owner, names);
  }

  /** What was refused may be what an earlier call of its key or intent has left here already, and may be sent yet. */
  #keptAllTheSame(call: Call, owner: string | null, refusal: NotSentError): Error {
    const pending = this.#pending(call, owner);
    if (!pending) return refusal;
    if (differs(pending, call, this.#outbox))
      return new IntentConflictError({ ...pending, intent: call.intent });
    const { reason } = refusal;
    const why = reason === 'aborted' || reason === 'closed' ? reason : 'interrupted';
    const handle = this.#outbox.joining.handle(operationId(pending));
    return new OutcomeUnknownError({ ...pending, reason: why, cause: refusal, ...handle });
  }

  /** Enters a call that others may be: joins what it finds. */
  async #enter(made: Call, owner: string | null, names: readonly string[]): Promise<Entered> {
    let call = made;
    const { handOver, runs, others, store, lanes, joining } = this.#outbox;
    const since = handOver.mark();
    const lane = call.lane === undefined ? undefined : { owner, lane: call.lane };
    const patience = patienceOf(call, this.#outbox);
    const turn = this.#entering.pass(names);
    let entry: Hold | undefined;
    let kept: Promise<void> | undefined;
    try {
      const leave = (await patience.for(turn)) ?? this.#refuseLate(call);
      const here = this.#pending(call, owner);
      if (here && runs.get(operationId(here))) return { outcome: joining.join(here, call) };
      entry = await others
        .enter(names, call.signal)
        .catch((cause) => this.#refuseLate(call, 'the outbox could not be entered', cause));
      const last = lane && lanes.of(lane).at(-1);
      const reading = store.load().then(
        () => true,
        (cause) => this.#refuseLate(call, 'the outbox could not be read', cause),
      );
      if (!(await patience.for(reading))) this.#refuseLate(call);
      // What was there a moment ago: the news of what became of it are on their way.
      for (const one of [last, here])
        if (one && !store.get(operationId(one))) await patience.for(handOver.newsOf(one));
      const pending = this.#pending(call, owner);
      const dropped = pending && (await this.#dropDeclined(pending)) ? [pending] : [];
      if (pending && dropped.length === 0) return { outcome: joining.join(pending, call) };
      if (call.intent !== undefined && !call.keyGiven) {
        // Pending when this call was made, and over before it could enter.
        const done = handOver.rememberedSince(since, owner, call);
        if (done) {
          call.onKey?.(done.key, owner);
          return { outcome: joining.remembered(operationId(done)) };
        }
        call = { ...call, key: handOver.turnedAway(owner, call, dropped)?.key ?? call.key };
      }
      // One that was removed under its run: this call would join that, and never be stored.
      const id = operationId({ owner, key: call.key });
      if (runs.get(id)) await patience.for(runs.makeWay(id));
      const isThis = (record: DamagedRecord) =>
        record.id === id || mentions(record, owner, 'intent', call.intent);
      if (store.damaged.some(isThis))
        refuse(call, 'storage', 'a record of it is kept that cannot be read: see outbox.damaged()');
      // It takes the place of one that was dropped, and does not come behind it.
      const mark = dropped.length > 0 ? handOver.mark() : since;
      const fate = lane && (() => lanes.fateOf(mark, lane));
      if (fate?.() === 'refused') refuse(call, 'lane', 'the call before it in its lane came to nothing');
      // Whoever depends on it is let in when it is kept, or refused with it.
      const begun = this.#begin(call, owner, { known: lane ? undefined : leave, entry, fate });
      kept = begun.kept.catch(() => joining.takeAlong(call, owner));
      return begun;
    } catch (error) {
      joining.takeAlong(call, owner);
      throw error;
    } finally {
      patience.end();
      const letIn = () => {
        turn.then((late) => late());
        entry?.release();
      };
      // Elsewhere it is found once it is stored.
      if (kept) kept.then(letIn, letIn);
      else letIn();
    }
  }

  #refuseLate(call: Call, message = 'the outbox does not answer', cause?: unknown): never {
    refuseIfOver(call, this.#outbox);
    return refuse(call, 'storage', message, cause);
  }

  #begin(call: Call, owner: string | null, beginning?: Beginning): Entered & Begun {
    const begun = begin(call, owner, this.#outbox, beginning);
    return { ...begun, outcome: this.#outbox.joining.wait(begun.operation, call) };
  }

  /** Nothing of it ran, and nobody was told: the user may try again, and need not hear of the last time first. */
  async #dropDeclined(operation: Operation): Promise<boolean> {
    const { runs, lanes, store } = this.#outbox;
    if (!wasDeclined(operation) || runs.get(operationId(operation))) return false;
    // Those behind it have to hear of it.
    if (lanes.behind(operation).length > 0) return false;
    await store.remove(operation, 'dismissed');
    return true;
  }

  /** The operation that this call would repeat or contradict. */
  #pending({ key, intent }: Call, owner: string | null): Operation | undefined {
    const { store } = this.#outbox;
    return (
      store.get(operationId({ owner, key })) ??
      (intent === undefined ? intent : store.find(owner, (other) => other.intent === intent))
    );
  }
}
