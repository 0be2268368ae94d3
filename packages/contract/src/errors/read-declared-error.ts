import type { AnyProcedure, ErrorsOf } from '../procedure/definition.js';
import type { OnceErrorData } from '../wire/error-shape.js';
import type { DeclaredErrorOf } from './declared-errors.js';
import { peek } from './peek.js';

/**
 * Reads a declared error of `procedure` out of whatever a call threw; `undefined` when it is something else.
 *
 * @example
 * ```ts
 * const declared = declaredError(error, shop.orders.place);
 * if (declared?.name === 'OUT_OF_STOCK') tell(`${declared.data.sku} is gone`);
 * ```
 */
export function declaredError<TProcedure extends AnyProcedure>(
  error: unknown,
  procedure: TProcedure,
): DeclaredErrorOf<ErrorsOf<TProcedure>> | undefined {
  const declared = peek(peek(error, 'data'), 'declared');
  const name = peek(declared, 'name');
  return typeof name === 'string' && Object.hasOwn(procedure.errors, name)
    ? (declared as DeclaredErrorOf<ErrorsOf<TProcedure>>)
    : undefined;
}

/**
 * Whether `error` is the declared error `name` of `procedure`; narrows `error.data.declared`, and
 * `error.data` to the rest of what tRPC and this library tell of an error (`code`, `httpStatus`, `path`, `idempotency`).
 *
 * @example
 * ```ts
 * if (isDeclaredError(error, shop.orders.place, 'OUT_OF_STOCK')) error.data.declared.data.sku;
 * ```
 */
export function isDeclaredError<
  TProcedure extends AnyProcedure,
  TName extends keyof ErrorsOf<TProcedure> & string,
>(
  error: unknown,
  procedure: TProcedure,
  name: TName,
): error is Error & {
  readonly data: Omit<OnceErrorData, 'declared'> & {
    readonly declared: Extract<DeclaredErrorOf<ErrorsOf<TProcedure>>, { name: TName }>;
  };
} {
  return declaredError(error, procedure)?.name === name;
}
