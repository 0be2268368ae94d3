/**
 * A contract was defined in a way that could not keep its promise; thrown while modules load, never per call.
 *
 * @example
 * ```ts
 * try {
 *   defineContract({ pay: procedure.idempotent({ leaseMs: -1 }).mutation() });
 * } catch (error) {
 *   error instanceof ContractError; // true: "leaseMs must be a whole number of milliseconds from 100 …"
 * }
 * ```
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}
