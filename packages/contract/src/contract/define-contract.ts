import { peek } from '../errors/peek.js';
import { unknownOption } from '../options/unknown-option.js';
import type { AnyProcedure } from '../procedure/definition.js';
import { readOncePart } from '../procedure/replayable.js';
import { type Contract, type ContractTree, contractFacts, type Transformer } from './contract.js';
import { ContractError } from './contract-error.js';

export interface ContractOptions {
  /**
   * Carries Date, Map, BigInt and the like over the wire, for both sides at once, so that they cannot disagree.
   * @default none: what JSON can say
   */
  readonly transformer?: Transformer;
}

/** tRPC's own reserved names, and those that JavaScript would take for something else. */
const reserved = new Set(['then', 'call', 'apply', '__proto__', '_def', 'createCaller']);

/**
 * Defines what client and server share. Import the value on both sides; it holds no code of either.
 *
 * @throws ContractError for a name that no URL path can carry, an idempotent query, an idempotent procedure whose
 * input or output can be read only once, or an unknown option.
 * @example
 * ```ts
 * export const shop = defineContract({
 *   orders: { place: procedure.input(PlaceOrder).output(Order).idempotent().mutation() },
 * });
 * ```
 */
export function defineContract<const TTree extends ContractTree>(tree: TTree): Contract<TTree, false>;
export function defineContract<const TTree extends ContractTree, const TOptions extends ContractOptions>(
  tree: TTree,
  options: TOptions,
): Contract<TTree, TOptions extends { transformer: Transformer } ? true : false>;
export function defineContract(tree: ContractTree, options: ContractOptions = {}): Contract {
  const unknown = unknownOption('defineContract', options, { transformer: true });
  if (unknown !== undefined) throw new ContractError(unknown);
  if (typeof tree !== 'object' || tree === null)
    throw new ContractError('defineContract(tree) needs the procedures, by name: { orders: { place: … } }');
  const procedures = new Map<string, AnyProcedure>();
  const placed = place(tree, [], procedures);
  if (procedures.size === 0) throw new ContractError('a contract needs at least one procedure');
  return Object.freeze(
    Object.assign(placed, { [contractFacts]: { procedures, transformer: options.transformer } }),
  ) as Contract;
}

function place(tree: ContractTree, at: readonly string[], into: Map<string, AnyProcedure>): ContractTree {
  const placed: Record<string, AnyProcedure | ContractTree> = {};
  for (const [name, node] of Object.entries(tree)) {
    const path = [...at, name].join('.');
    if (!/^[\w$-]+$/.test(name) || reserved.has(name))
      throw new ContractError(
        `"${path}" cannot be a procedure's path: use letters, digits, _, $ and -, and none of ${[...reserved].join(', ')}`,
      );
    if (isProcedure(node)) {
      placed[name] = checked(Object.freeze({ ...node, path }));
      into.set(path, placed[name] as AnyProcedure);
    } else if (isUnfinished(node)) {
      throw new ContractError(`"${path}" is not finished: end it with .mutation() or .query()`);
    } else if (typeof node === 'object' && node !== null) {
      placed[name] = Object.freeze(place(node, [...at, name], into));
    } else {
      throw new ContractError(`"${path}" is neither a procedure nor a group of procedures`);
    }
  }
  return placed;
}

function isProcedure(node: AnyProcedure | ContractTree): node is AnyProcedure {
  return typeof node === 'object' && node !== null && (node.kind === 'query' || node.kind === 'mutation');
}

/** A builder, that is. */
function isUnfinished(node: unknown): boolean {
  return typeof peek(node, 'mutation') === 'function';
}

function checked(procedure: AnyProcedure): AnyProcedure {
  if (procedure.idempotent === undefined) return procedure;
  if (procedure.kind !== 'mutation')
    throw new ContractError(
      `"${procedure.path}" is an idempotent ${procedure.kind}: only a mutation can be idempotent`,
    );
  for (const side of ['input', 'output'] as const) {
    const part = readOncePart(procedure[side]);
    if (part !== undefined)
      throw new ContractError(
        `"${procedure.path}" is idempotent, so its ${side} must be kept and given again, but ${part} can be read only once; send a reference to the upload instead`,
      );
  }
  return procedure;
}
