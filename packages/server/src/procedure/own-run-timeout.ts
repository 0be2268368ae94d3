import type { AnyProcedure, IdempotentPolicy, IsIdempotent } from '@trpc-once/contract';

/** The dotted paths of a contract's idempotent procedures. */
export type IdempotentPaths<TTree, TAt extends string = ''> = {
  [K in keyof TTree & string]: TTree[K] extends AnyProcedure
    ? IsIdempotent<TTree[K]> extends true
      ? `${TAt}${K}`
      : never
    : IdempotentPaths<TTree[K], `${TAt}${K}.`>;
}[keyof TTree & string];

/** What one procedure is kept to. */
export interface ProcedurePolicy extends Pick<IdempotentPolicy, 'retentionMs' | 'leaseMs'> {
  /** @default createOnce({ runTimeoutMs }) */
  readonly runTimeoutMs?: number;
}

/** The shortest lease there is, in milliseconds: below it a renewal cannot keep up. */
const LEAST_LEASE_MS = 100;

/**
 * Lays a procedure's own `runTimeoutMs` over its policy. It counts in place of the one of `createOnce()`, shorter or longer.
 * Its lease is no longer than it: of a process that was killed, a claim would keep the key for longer than the run could
 * have taken. While a handler runs its claim is renewed, however short the lease.
 *
 * @throws TypeError when it is no time to run in, or longer than outcomes are kept: what settles after that is an outcome
 * that nobody may ask for any more.
 */
export function withOwnRunTimeout(
  where: string,
  { retentionMs, leaseMs }: ProcedurePolicy,
  runTimeoutMs: number | undefined,
): ProcedurePolicy {
  if (runTimeoutMs === undefined) return { retentionMs, leaseMs };
  if (!(typeof runTimeoutMs === 'number' && runTimeoutMs >= 1))
    throw new TypeError(`${where} must be from 1 to Infinity milliseconds, not ${String(runTimeoutMs)}`);
  if (runTimeoutMs > retentionMs && runTimeoutMs !== Number.POSITIVE_INFINITY)
    throw new TypeError(
      `${where} is ${runTimeoutMs}, and outcomes of this procedure are kept for ${retentionMs} milliseconds (retentionMs): let it run for less, or keep them for longer`,
    );
  return { retentionMs, leaseMs: Math.min(leaseMs, Math.max(runTimeoutMs, LEAST_LEASE_MS)), runTimeoutMs };
}
