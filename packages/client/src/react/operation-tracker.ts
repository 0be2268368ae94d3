import {
  type CallFacts,
  callFacts,
  type IdempotentCall,
  type IdempotentMutateOptions,
} from '../client/idempotent-call.js';
import { IntentConflictError, isIntentConflict } from '../errors/intent-conflict-error.js';
import { keyOf } from '../errors/key-of.js';
import type { OutboxEvent } from '../outbox/operation/events.js';
import type { Operation } from '../outbox/operation/operation.js';
import { newKey } from './new-key.js';
import type { OperationName, OperationView } from './operation-view.js';
import { type Ended, endOf, isTold, type Known, sameKnown, viewOf } from './view-of.js';

type View = OperationView<any, any>;

/**
 * One component's operation, as a store outside React. It follows what the outbox says, and waits for the outcome only
 * while somebody listens: what is found out while no component is there is not handed to one that is gone.
 */
export class OperationTracker {
  readonly #call: IdempotentCall;
  readonly #facts: CallFacts;
  readonly #name: OperationName;
  readonly #listeners = new Set<() => void>();
  /** Aborted, and gone, when nobody listens any more. */
  #attached: AbortController | undefined;
  /** Whose everything below is: the next to sign in shall not see it. */
  #owner: string | null | undefined;
  /** Which operation it is. Without an intent it is made here, so that a second tap has the first one's. */
  #key: string | undefined;
  /** The operation as it was seen last; the outbox forgets it with its outcome. */
  #seen: Operation | undefined;
  /** It was removed elsewhere, and nobody said why: what became of it is not known. */
  #gone = false;
  #ended: Ended | undefined;
  #conflict: IntentConflictError | undefined;
  /** What stood in the way of an outcome when a call or a wait last ended. */
  #error: Known['error'];
  #submitting = 0;
  #waitingFor: string | undefined;
  #shown: { readonly known: Known; readonly view: View } | undefined;
  onSettled: ((outcome: any, view: any) => void) | undefined;

  constructor(call: IdempotentCall, name: OperationName) {
    this.#call = call;
    this.#facts = call[callFacts];
    this.#name = name;
  }

  /** Whether it still is what a component asks for. */
  isOf(call: IdempotentCall, name: OperationName): boolean {
    const { outbox, path } = call[callFacts];
    const same = outbox === this.#facts.outbox && path === this.#facts.path;
    // Given and not known yet is something else than none.
    const sameName = (of: 'intent' | 'key') => name[of] === this.#name[of] && of in name === of in this.#name;
    return same && sameName('intent') && sameName('key');
  }

  /** Begins to follow with the first listener, and stops with the last one. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#attach();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#attached?.abort();
      this.#attached = undefined;
    };
  };

  /** The same object until something changes. */
  readonly view = (): View => {
    const mine = this.#owner === this.#signedIn();
    const ended = mine ? this.#ended : undefined;
    const known: Known = {
      operation: this.#pending() ?? (ended || (mine && this.#gone) ? this.#seen : undefined),
      ended,
      gone: mine && this.#gone,
      conflict: mine ? this.#conflict : undefined,
      error: mine ? this.#error : undefined,
      submitting: mine && this.#submitting > 0,
    };
    if (!this.#shown || !sameKnown(known, this.#shown.known)) this.#shown = { known, view: viewOf(known) };
    return this.#shown.view;
  };

  /** Makes the call, or joins it to the operation that it is. Resolves with where that stands when the call has ended. */
  readonly submit = async (input: unknown, retry: IdempotentMutateOptions['retry']): Promise<View> => {
    this.#forgetOthers();
    const name = this.#name;
    const named = 'intent' in name || 'key' in name;
    if (this.#ended?.state === 'settled' && this.#ended.outcome.ok && named) {
      this.#conflict = this.#conflictWith(input);
      this.#changed();
      return this.view();
    }
    this.reset();
    if (!named) this.#key ??= newKey();
    return this.#during(() => {
      const leaving = new AbortController();
      // One that is gone without an outcome is asked for under the same key, whatever it is called.
      const made = (!named || this.#gone) && this.#key !== undefined && { key: this.#key };
      // One that is not known yet is refused, whatever types say of it.
      const by = { ...name, ...made } as IdempotentMutateOptions;
      const outcome = this.#call.mutate(input, { ...by, retry, signal: leaving.signal });
      const { signal } = this.#attached ?? {};
      outcome.key().then(
        (key) => {
          void this.#follow(key);
          // Not before it is an operation: one that is tapped and left in the same moment was meant all the same.
          if (signal?.aborted) leaving.abort();
          signal?.addEventListener('abort', () => leaving.abort());
        },
        () => {},
      );
      return outcome;
    });
  };

  /** Asks again at once for an operation that has no outcome yet. */
  readonly resume = async (): Promise<View> => {
    this.#forgetOthers();
    const key = this.#pending()?.key;
    if (key === undefined) return this.view();
    return this.#during(() => this.#facts.outbox.resume(key, { signal: this.#attached?.signal }));
  };

  /** Forgets an outcome, a refusal and a conflict. An operation without an outcome is not forgotten. */
  readonly reset = (): void => {
    this.#conflict = undefined;
    if (this.#ended) this.#key = this.#seen = this.#ended = undefined;
    this.#changed();
  };

  #attach(): void {
    this.#attached = new AbortController();
    const { signal } = this.#attached;
    const end = this.#facts.outbox.subscribe((event) => this.#hear(event));
    signal.addEventListener('abort', end);
    const look = () => {
      if (signal.aborted) return;
      this.#forgetOthers();
      const operation = this.#pending();
      if (operation) void this.#follow(operation.key);
      this.#changed();
    };
    look();
    // What an earlier page left is only in storage. Where that cannot be read, submit() says so.
    this.#facts.outbox.list().then(look, () => {});
  }

  #hear({ type, operation }: OutboxEvent): void {
    this.#forgetOthers();
    if (!this.#isOurs(operation)) return;
    this.#seen = operation;
    this.#gone = type === 'gone';
    if (type === 'dismissed') this.#key = undefined;
    else void this.#follow(operation.key);
    this.#changed();
  }

  #isOurs({ key, path, intent }: Operation): boolean {
    if (path !== this.#facts.path) return false;
    if (key === this.#key || key === this.#name.key) return true;
    // An outcome is shown until reset(), whatever else begins under its intent.
    return intent !== undefined && intent === this.#name.intent && !this.#ended;
  }

  #pending(): Operation | undefined {
    if (this.#signedIn() === undefined) return undefined;
    return this.#facts.outbox.snapshot().find((operation) => this.#isOurs(operation));
  }

  /** Waits for the outcome, whoever finds it out, for as long as somebody listens. */
  async #follow(key: string): Promise<void> {
    const { signal } = this.#attached ?? {};
    if (this.#ended || !signal || this.#waitingFor === key) return;
    this.#key = this.#waitingFor = key;
    const stop = () => {
      if (this.#waitingFor === key) this.#waitingFor = undefined;
    };
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        // What is no outcome is seen in the outbox.
        await this.#heed(this.#facts.outbox.wait(key, { signal }));
        this.#changed();
        const { key: now, state } = this.#pending() ?? {};
        // Given up on for now, and whoever asks next may find out. For the others there is nothing to wait.
        if (this.#ended || now !== key || state === 'settled' || state === 'expired') break;
      }
    } catch {
      // The outbox was closed, or the app cannot say who is signed in: nobody will tell, until something happens again.
      this.#changed();
    } finally {
      stop();
    }
  }

  async #during(act: () => Promise<unknown>): Promise<View> {
    this.#submitting += 1;
    this.#changed();
    try {
      await this.#heed(act());
    } finally {
      this.#submitting -= 1;
      this.#changed();
    }
    return this.view();
  }

  /** @throws what does not come from an operation: a link of the app's threw */
  async #heed(call: Promise<unknown>): Promise<void> {
    const owner = this.#owner;
    const ended = await call.then(
      (data): Ended => ({ state: 'settled', outcome: { ok: true, data } }),
      (error) => {
        const end = endOf(error);
        if (isIntentConflict(error) && owner === this.#owner) this.#conflict = error;
        else if (keyOf(error) === undefined) throw error;
        else if (owner === this.#owner && isTold(error)) this.#error = error;
        return end;
      },
    );
    // The call and the wait hear of the same end; and who asked may have signed out.
    if (!ended || this.#ended || owner !== this.#owner) return;
    this.#ended = ended;
    this.#changed();
    if (ended.state !== 'settled' || !this.#attached) return;
    try {
      // Shown once its owner is back; told to nobody else.
      if (this.#signedIn() === owner) this.onSettled?.(ended.outcome, this.view());
    } catch (error) {
      console.error(error);
    }
  }

  /** What the tapped-again input contradicts, if it is another one than the outcome's. */
  #conflictWith(input: unknown): IntentConflictError | undefined {
    const { key, path, body } = this.#seen ?? {};
    if (key === undefined || this.#facts.isInput(input, body ?? null)) return undefined;
    return new IntentConflictError({ key, path: path!, intent: this.#name.intent });
  }

  /** `undefined` while the app cannot say: then nothing of anybody is shown, and a call says so. */
  #signedIn(): string | null | undefined {
    try {
      return this.#facts.owner();
    } catch {
      return undefined;
    }
  }

  #forgetOthers(): void {
    const owner = this.#signedIn();
    if (owner === undefined || owner === this.#owner) return;
    this.#owner = owner;
    this.#key = this.#seen = this.#ended = this.#conflict = this.#error = this.#waitingFor = undefined;
    this.#gone = false;
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
