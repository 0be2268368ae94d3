import type { IdempotencyContext, IdempotentCallOptions } from '../link/options.js';

/** An idempotent mutation: of our client, or of a tRPC client with `idempotencyLink()`. */
export interface MutateCall {
  mutate(input: any, options?: any): Promise<unknown>;
}

type InputOf<TCall extends MutateCall> = Parameters<TCall['mutate']>[0];

export interface IdempotentMutationOptions<TVariables, TInput> extends Pick<IdempotentCallOptions, 'retry'> {
  /**
   * The app's own name for what the user meant, from the variables: `({ cartId }) => `checkout:${cartId}``. Where two
   * mutations can mean the same thing (a second tap, a reload) it joins them while the operation is pending. Where it gives
   * `undefined`, the mutation is refused: it would be an operation without a name.
   */
  readonly intent?: (variables: TVariables) => string;
  /**
   * A key that the variables hold, made once where the user acted. For mutations that TanStack Query itself persists: it
   * may send one after a reload that the outbox has settled since, and only the same key can tell.
   */
  readonly key?: (variables: TVariables) => string;
  /**
   * Who the mutation is of, from the variables, where TanStack Query persists it: it may be resumed when somebody else is signed
   * in, and is then left to its owner. A retry knows by itself whose it is.
   */
  readonly owner?: (variables: TVariables) => string | null;
  /** What the call takes, where that is not the variables themselves. */
  readonly input?: (variables: TVariables) => TInput;
}

/** For `useMutation()`; to be spread, beside options of one's own. */
export interface MutationOptions<TVariables, TOutput> {
  readonly mutationFn: (variables: TVariables, context?: object) => Promise<TOutput>;
  readonly retry: false;
  readonly networkMode: 'always';
}

/**
 * Options for TanStack Query's `useMutation()` that keep one mutation one operation, with one key, even where the
 * mutation is retried: TanStack Query calls `mutationFn` again for a retry, and on its own that would be a new operation.
 *
 * The outbox retries, waits for the network and survives reloads, so these turn the same off in TanStack Query. With
 * `retry` turned on again the key stays one all the same (from @tanstack/react-query 5.89 on).
 *
 * @example
 * ```tsx
 * const place = useMutation({
 *   ...idempotentMutation(client.orders.place, { intent: ({ cartId }: Cart) => `checkout:${cartId}` }),
 *   onSuccess: (order) => show(order),
 * });
 * ```
 */
export function idempotentMutation<TCall extends MutateCall, TVariables = InputOf<TCall>>(
  call: TCall,
  { intent, key, owner, input, ...more }: IdempotentMutationOptions<TVariables, InputOf<TCall>> = {},
): MutationOptions<TVariables, Awaited<ReturnType<TCall['mutate']>>> {
  return {
    mutationFn: (variables, context) => {
      const made = context && keys.get(context);
      const idempotency: IdempotencyContext = {
        ...more,
        ...(intent && { intent: intent(variables) }),
        ...(owner && { owner: owner(variables) }),
        ...(made ?? (key && { key: key(variables) })),
        onKey: (key, owner) => void (context && keys.set(context, { key, owner })),
      };
      const outcome = call.mutate(input ? input(variables) : variables, { context: { idempotency } });
      return outcome as ReturnType<TCall['mutate']> as Promise<Awaited<ReturnType<TCall['mutate']>>>;
    },
    retry: false,
    networkMode: 'always',
  };
}

/** TanStack Query gives every retry of one mutation the same context object, and the next mutation another. */
const keys = new WeakMap<object, { readonly key: string; readonly owner: string | null }>();
