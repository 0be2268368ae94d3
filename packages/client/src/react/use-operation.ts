import type { DeclaredErrors } from '@trpc-once/contract';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type {
  CallFacts,
  callFacts,
  IdempotentCall,
  IdempotentMutateOptions,
} from '../client/idempotent-call.js';
import { OperationTracker } from './operation-tracker.js';
import { idle, type OperationOutcome, type OperationView } from './operation-view.js';

/** What a call takes. */
export type InputOfCall<TCall extends IdempotentCall> = Parameters<TCall['mutate']>[0];

/** What it gives. */
export type OutputOfCall<TCall extends IdempotentCall> = Awaited<ReturnType<TCall['mutate']>>;

/** What its procedure declares. */
export type ErrorsOfCall<TCall extends IdempotentCall> =
  TCall[typeof callFacts] extends CallFacts<infer TErrors> ? TErrors : DeclaredErrors;

export interface UseOperationOptions<TOutput, TErrors extends DeclaredErrors> {
  /**
   * The app's own name for what the user means, such as `checkout:${cart.id}`. With one, the component finds its operation
   * again after an unmount or a reload, and `submit()` makes at most one operation that completes, until `reset()` or until
   * the intent is another. Without one, each submission after the last one's outcome is a new operation, and after an
   * unmount only the outbox knows of it. Given and `undefined` it is not known yet: `submit()` is refused (`NotSentError`)
   * until it is.
   */
  readonly intent?: string | undefined;
  /**
   * A key of the app's own, made where the user began (the id of a cart, say). Stronger than an intent: it still names the
   * operation when its outcome was handed over long ago, to another tab or to a page that is gone, and the server then
   * gives that outcome again. After an outcome that is none to keep (sold out) begin anew with another key. Given and
   * `undefined` (`cart?.id`, before the cart is loaded) it is not known yet: `submit()` is refused until it is.
   */
  readonly key?: string | undefined;
  /** Laid over the contract's policy and the client's. */
  readonly retry?: IdempotentMutateOptions['retry'];
  /**
   * Hears of the outcome while the component is mounted, once, whoever found it out: this submission, or a resume after
   * a reload. With no component mounted the client's own `onSettled` hears of it instead.
   */
  readonly onSettled?: (
    outcome: OperationOutcome<TOutput, TErrors>,
    view: OperationView<TOutput, TErrors>,
  ) => void;
}

export interface OperationActions<TInput, TOutput, TErrors extends DeclaredErrors> {
  /**
   * Makes the operation. A second call while it has no outcome joins it, so two taps are one operation; with another
   * input it sets `conflict`, and sends nothing.
   *
   * Resolves with where the operation stands when the call has ended: `settled` or `refused`, or `unknown`, `parked` or
   * `expired`, in which the outbox keeps it. It rejects only with what is no operation's (a link of yours threw). When
   * the component is unmounted meanwhile the call ends, and the operation goes on.
   */
  submit(input: TInput): Promise<OperationView<TOutput, TErrors>>;
  /** Asks again at once, with the same key, for an operation that has no outcome. Resolves like `submit()`. */
  resume(): Promise<OperationView<TOutput, TErrors>>;
  /** Back to `idle` from `settled` and `refused`. An operation without an outcome is not forgotten. */
  reset(): void;
}

/** Where a component's operation stands, and what can be done about it. */
export type UseOperation<TCall extends IdempotentCall> = OperationView<
  OutputOfCall<TCall>,
  ErrorsOfCall<TCall>
> &
  OperationActions<InputOfCall<TCall>, OutputOfCall<TCall>, ErrorsOfCall<TCall>>;

/**
 * One operation of a component, from tap to outcome, over the client's outbox. It renders where the operation stands,
 * attempt by attempt, and finds a pending one again by its intent: after a second tap, an unmount, a reload. On a
 * server it renders `idle` and touches nothing.
 *
 * @param call such as `client.orders.place`
 * @example
 * ```tsx
 * const placing = useOperation(client.orders.place, { intent: `checkout:${cart.id}` });
 * if (placing.state === 'settled' && placing.outcome.ok) return <Thanks order={placing.outcome.data} />;
 * return (
 *   <button disabled={placing.state === 'sending'} onClick={() => placing.submit(cart)}>
 *     {placing.state === 'unknown' ? 'Not known yet: ask again' : 'Place order'}
 *   </button>
 * );
 * ```
 */
export function useOperation<TCall extends IdempotentCall>(
  call: TCall,
  options: UseOperationOptions<OutputOfCall<TCall>, ErrorsOfCall<TCall>> = {},
): UseOperation<TCall> {
  const { retry, onSettled, ...name } = options;
  const [kept, keep] = useState(() => new OperationTracker(call, name));
  let tracker = kept;
  if (!kept.isOf(call, name)) {
    tracker = new OperationTracker(call, name);
    keep(tracker);
  }
  // Before the subscription, which may hear of an outcome at once.
  useEffect(() => {
    tracker.onSettled = onSettled;
  });
  const view = useSyncExternalStore(tracker.subscribe, tracker.view, () => idle);
  return useMemo(
    () => ({
      ...view,
      submit: (input: unknown) => tracker.submit(input, retry),
      resume: tracker.resume,
      reset: tracker.reset,
    }),
    [view, tracker, retry],
  ) as UseOperation<TCall>;
}
