import type { TRPCClientError, TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { Latest } from '../outbox/hand-over/latest.js';
import type { Outbox } from '../outbox/outbox.js';
import { type IdempotentCalls, idempotentCalls } from './idempotent-calls.js';
import type { IdempotencyOptions } from './options.js';
import { saidIn } from './said-in.js';

/** A tRPC link with the outbox behind it. */
export type IdempotencyLink = TRPCLink<any> & { readonly outbox: Outbox };

/**
 * Makes the idempotent mutations of a contract durable inside an existing tRPC client: it answers them itself, and hands
 * everything else to the next link. Say more about a call in its context, under `idempotency`, as `idempotent()` does.
 *
 * @throws TypeError when an option is missing or of the wrong kind
 * @throws ContractError when the options contradict the contract, or the retry policy is out of its range
 * @example
 * ```ts
 * const once = idempotencyLink({ contract: shop, url, owner, storage: indexedDbStorage() });
 * const trpc = createTRPCClient<AppRouter>({ links: [once, httpBatchLink({ url })] });
 * await trpc.orders.place.mutate(input, idempotent({ intent: `checkout:${cart.id}` }));
 * await once.outbox.resume();
 * ```
 */
export function idempotencyLink(options: IdempotencyOptions): IdempotencyLink {
  const calls = idempotentCalls(options);
  return Object.assign(linkOver(calls), { outbox: calls.outbox });
}

/** The link, over calls made elsewhere. */
export function linkOver(calls: IdempotentCalls): TRPCLink<any> {
  return () => {
    // A link in front that retries or hedges subscribes again, and must find the same key, though links between them copy
    // the operation and its input. With an input that differs it is a conflict. As many as a page could be at meanwhile.
    const keys = new Latest<{ readonly key: string; readonly owner: string | null }>(1_000);
    return ({ op, next }) => {
      if (op.type !== 'mutation' || !calls.has(op.path)) return next(op);
      const said = saidIn(op.context);
      const id = `${op.id} ${op.path}`;
      return observable((observer) => {
        const leaving = new AbortController();
        const leave = () => leaving.abort(op.signal?.reason);
        op.signal?.addEventListener('abort', leave);
        if (op.signal?.aborted) leave();
        const onKey = (key: string, owner: string | null) => {
          keys.set(id, { key, owner });
          said.onKey?.(key, owner);
        };
        calls.call(op.path, op.input, { ...keys.get(id), ...said, onKey, signal: leaving.signal }).then(
          (data) => {
            observer.next({
              result: { type: 'data', data },
              context: { idempotencyKey: keys.get(id)?.key },
            });
            observer.complete();
          },
          (error) => observer.error(error as TRPCClientError<any>),
        );
        return () => {
          op.signal?.removeEventListener('abort', leave);
          leaving.abort();
        };
      });
    };
  };
}
