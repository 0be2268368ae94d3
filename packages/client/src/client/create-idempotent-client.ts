import {
  createTRPCUntypedClient,
  httpBatchLink,
  httpLink,
  isNonJsonSerializable,
  splitLink,
  type TRPCLink,
  type TRPCUntypedClient,
} from '@trpc/client';
import {
  type AnyContract,
  ContractError,
  type IsTransformed,
  type Manifest,
  type RouterOf,
  type Transformer,
} from '@trpc-once/contract';
import { lasting } from '../attempts/send-attempt.js';
import { checkOptions } from '../link/check-options.js';
import { linkOver } from '../link/idempotency-link.js';
import { idempotentCalls } from '../link/idempotent-calls.js';
import type { IdempotencyContext, IdempotencyOptions } from '../link/options.js';
import { clientContract } from '../link/procedures.js';
import { saidIn } from '../link/said-in.js';
import { type CallFacts, callFacts, type IdempotentMutateOptions, type WithKey } from './idempotent-call.js';
import type { IdempotentClient } from './idempotent-client.js';

export interface ClientOptions extends Omit<IdempotencyOptions, 'contract' | 'transformer'> {
  /** Links in front of those that send, such as a logger. */
  readonly links?: readonly TRPCLink<any>[];
}

/** The contract that was given, or that of its manifest. */
export type ContractOf<TGiven extends AnyContract | Manifest> =
  TGiven extends Manifest<infer TContract> ? TContract : Extract<TGiven, AnyContract>;

/** A contract names its transformer. A manifest holds no code, so what its contract names has to be given beside it. */
type TransformerBeside<TGiven extends AnyContract | Manifest> = TGiven extends Manifest
  ? IsTransformed<ContractOf<TGiven>> extends true
    ? { readonly transformer: Transformer }
    : { readonly transformer?: never }
  : { readonly transformer?: Transformer };

/**
 * A client for a contract. Its idempotent mutations are each kept in the outbox before they are sent, carry one key for
 * all their attempts, and are asked for until their outcome is known; everything else goes through tRPC's batching link.
 *
 * @throws TypeError when an option is missing or of the wrong kind
 * @throws ContractError when the contract has something called `outbox`, the transformer is not the contract's, or the
 * retry policy is out of its range
 * @example
 * ```ts
 * const client = createIdempotentClient({
 *   contract: shop,
 *   url: '/trpc',
 *   owner: () => session?.userId ?? null,
 *   storage: indexedDbStorage(),
 *   onSettled: (operation, outcome) => showLater(operation, outcome),
 * });
 * const order = await client.orders.place.mutate(input, { intent: `checkout:${cart.id}` });
 * ```
 */
export function createIdempotentClient<TGiven extends AnyContract | Manifest>(
  // One signature: of two, a forgotten owner would be explained by the one that nobody meant.
  options: ClientOptions & { readonly contract: TGiven } & TransformerBeside<TGiven>,
): IdempotentClient<ContractOf<TGiven>> {
  const { links = [], ...ours } = (options ?? {}) as IdempotencyOptions & Pick<ClientOptions, 'links'>;
  checkOptions(options, 'links');
  const { procedures, transformer } = clientContract(ours.contract, ours.transformer);
  const taken = Object.keys(procedures).find((path) => path.split('.')[0] === 'outbox');
  if (taken !== undefined)
    throw new ContractError(
      `the client keeps its outbox under "outbox", which hides "${taken}": rename it in the contract, or use idempotencyLink`,
    );
  const { url, headers: given, fetch } = options;
  const list = lasting(given);
  const calls = idempotentCalls({ ...ours, ...(list && { headers: list }) });
  const headers = typeof list === 'function' ? () => list({ owner: calls.owner() }) : list;
  // tRPC's types demand or forbid a transformer by the router's, which is any contract's here.
  const ordinary = { url, headers, fetch, transformer } as any;
  const client = createTRPCUntypedClient<RouterOf<AnyContract>>({
    links: [
      ...links,
      linkOver(calls),
      splitLink({
        condition: ({ input }) => isNonJsonSerializable(input),
        true: httpLink(ordinary),
        false: httpBatchLink(ordinary),
      }),
    ],
  });
  const own = { outbox: calls.outbox, [trpcUntypedClient]: client };
  const send: Send = (kind, path, input, sendOptions) =>
    calls.has(path) ? sendWithKey(client, path, input, sendOptions) : client[kind](path, input, sendOptions);
  const factsOf = (path: string): CallFacts | undefined =>
    calls.has(path) ? { path, outbox: calls.outbox, owner: calls.owner, isInput: calls.isInput } : undefined;
  return callsAt([], send, factsOf, own) as IdempotentClient<ContractOf<TGiven>>;
}

/** Where tRPC's own integrations look for the client behind a proxy. */
const trpcUntypedClient = Symbol.for('trpc_untypedClient');

type Send = (kind: 'query' | 'mutation', path: string, input: unknown, options: any) => unknown;

const verbs: { readonly [verb: string]: 'query' | 'mutation' } = { query: 'query', mutate: 'mutation' };

function callsAt(
  path: readonly string[],
  send: Send,
  factsOf: (path: string) => CallFacts | undefined,
  own: Record<PropertyKey, unknown> = {},
): unknown {
  return new Proxy(() => {}, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return own[name];
      if (name === callFacts) return factsOf(path.join('.'));
      // A proxy with a `then` would be taken for a promise when it is awaited or returned from an async function.
      return typeof name === 'string' && name !== 'then'
        ? callsAt([...path, name], send, factsOf)
        : undefined;
    },
    apply(_, __, [input, options]) {
      const verb = verbs[path.at(-1)!];
      if (verb) return send(verb, path.slice(0, -1).join('.'), input, options);
      throw new TypeError(`client.${path.join('.')}() is not a call: end it with .query() or .mutate()`);
    },
  });
}

function sendWithKey(
  client: TRPCUntypedClient<any>,
  path: string,
  input: unknown,
  options: IdempotentMutateOptions | null | undefined,
): Promise<unknown> & WithKey {
  const { signal, context, ...more } = options ?? {};
  const said: IdempotencyContext = { ...saidIn(context), ...more };
  let hasKey: (key: string) => void = () => {};
  const key = new Promise<string>((resolve) => {
    hasKey = resolve;
  });
  const onKey = (made: string, owner: string | null) => {
    hasKey(made);
    said.onKey?.(made, owner);
  };
  const outcome = client.mutation(path, input, {
    ...(signal && { signal }),
    context: { ...context, idempotency: { ...said, onKey } },
  });
  // A call that fails before it is an operation never tells a key.
  return Object.assign(outcome, { key: () => Promise.race([key, outcome.then(() => key)]) });
}
