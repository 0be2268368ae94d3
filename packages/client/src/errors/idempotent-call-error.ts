import { TRPCClientError } from '@trpc/client';

/** Which operation an error is about. */
export interface OperationRef {
  readonly key: string;
  readonly path: string;
}

/**
 * What every error of this package that a call can throw has in common. It is a `TRPCClientError`, so that tRPC's links
 * and hooks hand it on as it is.
 */
export abstract class IdempotentCallError extends TRPCClientError<any> {
  /** The operation's idempotency key. */
  readonly key: string;
  /** The procedure, dotted: `orders.place`. */
  readonly path: string;

  constructor(message: string, { key, path }: OperationRef, cause?: unknown) {
    super(message, {
      meta: { idempotencyKey: key },
      ...(cause !== undefined && { cause: cause instanceof Error ? cause : new Error(inText(cause)) }),
    });
    // TRPCClientError's constructor makes every subclass a plain TRPCClientError.
    Object.setPrototypeOf(this, new.target.prototype);
    this.key = key;
    this.path = path;
  }
}

/** Whatever an app's own code threw. Not everything has a text: `Object.create(null)` has none. */
function inText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return typeof thrown;
  }
}

/** By name and key: two copies of this package in one bundle know each other's errors. */
export function isCallError(error: unknown, name: string): boolean {
  const { name: actual, key } = (error ?? {}) as { name?: unknown; key?: unknown };
  return actual === name && typeof key === 'string';
}
