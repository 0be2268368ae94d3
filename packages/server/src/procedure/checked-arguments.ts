import type { AnyTRPCRootTypes, TRPCRootConfig } from '@trpc/server';
import { type AnyContract, type AnyProcedure, proceduresOf, transformerOf } from '@trpc-once/contract';
import { requireKnown } from '../options/require-known.js';
import type { AnyBase, ImplementOptions } from './implement-options.js';

/** What `implement()` was given, and found to fit together. */
export interface CheckedArguments {
  readonly procedures: ReadonlyMap<string, AnyProcedure>;
  readonly base: AnyBase;
  readonly config: TRPCRootConfig<AnyTRPCRootTypes>;
  readonly runTimeouts: Readonly<Record<string, number | undefined>>;
}

const known = { procedure: true, runTimeoutMs: true } satisfies Record<keyof ImplementOptions<AnyBase>, true>;

/**
 * Types say all this to those who use them, but for the transformer.
 * @throws TypeError saying which argument is wrong, and what it takes
 */
export function checkedArguments(
  contract: AnyContract,
  options: ImplementOptions<AnyBase>,
): CheckedArguments {
  const procedures = proceduresIn(contract);
  const config = rootConfigOf(options?.procedure);
  requireKnown('implement', options, known);
  const { procedure: base, runTimeoutMs: runTimeouts = {} } = options;
  const idempotent = [...procedures].filter(([, procedure]) => procedure.idempotent);
  requireKnown('runTimeoutMs', runTimeouts, Object.fromEntries(idempotent));
  requireSameTransformer(contract, config);
  return { procedures, base, config, runTimeouts };
}

function proceduresIn(contract: AnyContract): CheckedArguments['procedures'] {
  try {
    return proceduresOf(contract);
  } catch {
    throw new TypeError(
      'implement(contract, { procedure }, handlers) needs what defineContract() gave, as its first',
    );
  }
}

function rootConfigOf(base: AnyBase): TRPCRootConfig<AnyTRPCRootTypes> {
  if (typeof base?._def !== 'object')
    throw new TypeError(
      'implement(contract, { procedure }, handlers) needs a procedure of yours, such as t.procedure, in its second',
    );
  const config = (base._def as { config?: TRPCRootConfig<AnyTRPCRootTypes> }).config;
  if (!config)
    throw new TypeError('implement() needs a procedure made by initTRPC of @trpc/server 11.22.1 or newer');
  return config;
}

/** Both sides of the wire must agree, and only here do they meet before something is sent. */
function requireSameTransformer(contract: AnyContract, config: TRPCRootConfig<AnyTRPCRootTypes>): void {
  const own = config.transformer.output.serialize;
  const transformer = transformerOf(contract);
  const agreed = transformer && ('output' in transformer ? transformer.output : transformer).serialize;
  // tRPC's default hands every value back as it is; the app's copy of tRPC may not be ours, so it is not compared with that.
  const none = [{}, new Date(0), new Map(), undefined].every((value) => own(value) === value);
  if (agreed ? agreed !== own : !none)
    throw new TypeError(
      agreed
        ? 'the contract names a transformer that initTRPC.create() was not given: pass the same one there'
        : 'initTRPC.create() has a transformer that the contract does not name: pass the same one to defineContract(tree, { transformer })',
    );
}
