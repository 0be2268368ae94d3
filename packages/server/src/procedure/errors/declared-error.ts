import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import {
  type DeclaredDataIn,
  type DeclaredErrorDefinition,
  type DeclaredErrors,
  nearestName,
  type OnceErrorData,
} from '@trpc-once/contract';
import { requireKnown } from '../../options/require-known.js';

/**
 * A business error that the procedure declares. Thrown by handlers through `errors.NAME(data)`; settled, replayed and
 * typed on the other side.
 */
export class DeclaredError extends TRPCError {
  /** As the other side will read it, as far as it is known here: so that `isDeclaredError` narrows alike on both sides. */
  readonly data: Pick<OnceErrorData, 'code' | 'httpStatus'> & {
    readonly declared: { readonly name: string; readonly data: unknown };
  };
  /** Whose error it is: a handler may pass on one that another procedure declared, and that is not an outcome here. */
  readonly declaredBy: DeclaredErrors;

  /**
   * @param told What it was told as before, where it is read from an outcome: a deploy may have declared it anew since. Its
   * `cause` is for the server's own log, as that of any TRPCError is.
   */
  constructor(
    declaredBy: DeclaredErrors,
    name: string,
    data: unknown,
    told: { readonly code?: TRPCError['code']; readonly message?: string; readonly cause?: unknown } = {},
  ) {
    const definition = Object.hasOwn(declaredBy, name) ? declaredBy[name] : undefined;
    if (!definition) throw new TypeError(`"${name}" is not a declared error of this procedure`);
    super({
      code: told.code ?? definition.code,
      message: told.message ?? definition.message ?? name,
      cause: told.cause,
    });
    this.declaredBy = declaredBy;
    this.data = { code: this.code, httpStatus: getHTTPStatusCodeFromError(this), declared: { name, data } };
  }
}

/** What handlers get as `errors`: one function a declared error, which makes it; throw what it returns. */
export type ErrorFactories<TErrors extends DeclaredErrors> = {
  readonly [TName in keyof TErrors & string]: undefined extends DeclaredDataIn<TErrors[TName]>
    ? (data?: DeclaredDataIn<TErrors[TName]>) => DeclaredError
    : (data: DeclaredDataIn<TErrors[TName]>) => DeclaredError;
};

/** @throws TypeError when one of them is no definition of an error. */
export function errorFactories<TErrors extends DeclaredErrors>(declared: TErrors): ErrorFactories<TErrors> {
  const factories: Record<string, (data?: unknown) => DeclaredError> = {};
  for (const name of Object.keys(declared)) {
    requireDefinition(name, declared[name]);
    factories[name] = (data) => new DeclaredError(declared, name, data);
  }
  return factories as ErrorFactories<TErrors>;
}

const known = { code: true, data: true, message: true } satisfies Record<keyof DeclaredErrorDefinition, true>;

/** Types say so to those who use them; at the first throw, tRPC would make a 500 of it. */
function requireDefinition(name: string, definition: DeclaredErrorDefinition | undefined): void {
  requireKnown(`errors.${name}`, definition ?? {}, known);
  const code = String(definition?.code);
  if (Object.hasOwn(TRPC_ERROR_CODES_BY_KEY, code)) return;
  const meant = nearestName(code, Object.keys(TRPC_ERROR_CODES_BY_KEY)) ?? 'CONFLICT, say';
  throw new TypeError(`errors.${name} needs a code of tRPC's, and ${code} is none: did you mean ${meant}?`);
}

/**
 * Validates the data that a handler attached, and gives the error as it will be told.
 * @throws TRPCError (INTERNAL_SERVER_ERROR) when the data is not what the contract says.
 */
export async function validated(error: DeclaredError): Promise<DeclaredError> {
  const { name, data } = error.data.declared;
  const schema = error.declaredBy[name]?.data;
  if (!schema) return error;
  const result = await schema['~standard'].validate(data);
  if (!result.issues) return new DeclaredError(error.declaredBy, name, result.value, error);
  throw new TRPCError({
    code: 'INTERNAL_SERVER_ERROR',
    message: `the handler threw ${name} with data that the contract does not allow`,
    cause: Object.assign(new Error('its data does not fit'), { issues: result.issues }),
  });
}
