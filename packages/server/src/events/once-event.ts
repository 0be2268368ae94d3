import type { Refusal, Settlement } from '@trpc-once/contract';

/** Which call an event is about. Holds no input, output or principal. */
export interface EventCall {
  readonly procedure: string;
  readonly key: string;
}

/**
 * What an app may leave out or put in the wrong place:
 * - `context`: contexts carry no key, so every idempotent call is a 500;
 * - `response-meta`: answers lack their headers, `Retry-After` among them;
 * - `scope`: `scope()` gives something that is no principal, so every idempotent call is a 500;
 * - `place`: `once.idempotent()` stands where it cannot do its work, and that procedure is a 500.
 */
export type Miswiring = 'context' | 'response-meta' | 'scope' | 'place';

/** What happened, for logs and metrics. */
export type OnceEvent =
  /** A call was answered; `durationMs` from its claim to its answer. */
  | {
      readonly type: 'answered';
      readonly call: EventCall;
      readonly settlement: Settlement;
      readonly durationMs: number;
    }
  | { readonly type: 'refused'; readonly call: EventCall; readonly refusal: Refusal }
  /**
   * A handler threw what is no outcome: a bug, most of the time. Nothing of it is kept, the call was answered `released`,
   * and its caller sees no more than tRPC shows of the error.
   */
  | { readonly type: 'handler-failed'; readonly call: EventCall; readonly error: unknown }
  /** The app has a piece missing or misplaced; the message has the line to write. Told once, and for the process. */
  | { readonly type: 'miswired'; readonly what: Miswiring; readonly message: string }
  /** The transaction lost against others and runs again. */
  | {
      readonly type: 'run-again';
      readonly call: EventCall;
      readonly attempt: number;
      readonly error: unknown;
    }
  /** Another attempt's record was there first; this one's writes were rolled back. */
  | { readonly type: 'fenced'; readonly call: EventCall }
  /** The answer to COMMIT was lost; the record is being asked. */
  | { readonly type: 'commit-unknown'; readonly call: EventCall; readonly error: unknown }
  /** The claim ended before its handler did; the fence decides. */
  | { readonly type: 'lease-lost'; readonly call: EventCall }
  /** A handler ran for longer than `runTimeoutMs`. It was rolled back and answered for; it may be running still. */
  | { readonly type: 'run-timed-out'; readonly call: EventCall; readonly error: unknown }
  /**
   * A handler ended its transaction by itself, through an ORM: what it had written by then may be committed without an
   * outcome. The call was answered with 503 `unknown`; the handler has to be mended.
   */
  | { readonly type: 'misused'; readonly call: EventCall; readonly error: unknown }
  /** `close()` waited no longer for these calls, which were inside. */
  | { readonly type: 'left-behind'; readonly calls: readonly EventCall[] }
  /** One call to the claim store failed or took too long. */
  | { readonly type: 'claims-failed'; readonly error: unknown }
  /** The claim store is left alone for a while (`false`), or answers again (`true`). */
  | { readonly type: 'claims-available'; readonly available: boolean }
  | { readonly type: 'records-failed'; readonly error: unknown }
  /** A stored outcome could not be opened or decoded; the call was answered with 503 `unknown`. */
  | { readonly type: 'unreadable'; readonly call: EventCall; readonly error: unknown }
  /** A fault of our own making; the call was answered with 503 `unknown`. Please report it. */
  | { readonly type: 'fault'; readonly call: EventCall; readonly error: unknown }
  /** A sweep that takes long goes on; `expired` records are gone so far. */
  | { readonly type: 'sweeping'; readonly expired: number }
  /** A sweep that deleted something has ended, or was interrupted. */
  | { readonly type: 'swept'; readonly expired: number }
  /**
   * A record was left in progress, and is marked: FAILED, where nothing of it happened, or INDETERMINATE, where an effect
   * may have, and somebody has to look.
   */
  | { readonly type: 'abandoned'; readonly call: EventCall; readonly status: 'FAILED' | 'INDETERMINATE' };

export type OnEvent = (event: OnceEvent) => void;

/** An observer can never change what it observes: what it throws is dropped. */
export function quiet(onEvent: OnEvent | undefined): OnEvent {
  if (!onEvent) return () => {};
  return (event) => {
    try {
      onEvent(event);
    } catch {}
  };
}

/** Names a call in an event. */
export function eventCall(call: {
  readonly procedure: string;
  readonly id: { readonly key: string };
}): EventCall {
  return { procedure: call.procedure, key: call.id.key };
}
