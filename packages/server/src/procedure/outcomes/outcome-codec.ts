import { TRPCError } from '@trpc/server';
import type { Outcome } from '../../outcome/outcome.js';
import { DeclaredError } from '../errors/declared-error.js';
import { lostInJson } from './lost-in-json.js';
import { holdsReadOnce } from './read-once.js';

/** Half of a transformer: what outputs go through on their way out, and back. */
export interface OutputTransformer {
  serialize(value: any): any;
  deserialize(value: any): any;
}

/** What went wrong in a failed outcome, as it is stored. */
interface StoredFailure {
  readonly message: string;
  readonly declared?: { readonly name: string; readonly data: unknown };
}

export interface OutcomeCodec {
  /** @throws TRPCError when the output is too large to keep, can be read only once, or is not serialisable. */
  completed(output: unknown): Outcome;
  failed(error: TRPCError): Outcome;
  /**
   * The output, or the error, as every caller gets it: the first one too, so that no two can differ.
   * @param cause What the handler threw, for the server's own log.
   */
  read(outcome: Outcome, cause?: Error): { readonly output: unknown } | { readonly error: TRPCError };
}

export interface OutcomeCodecOptions {
  /** The transformer that tRPC itself uses for outputs. @default plain JSON */
  readonly transformer?: OutputTransformer | undefined;
  /** In characters of the encoded body. */
  readonly maxLength: number;
  /** The errors that the procedure declares, by name. */
  readonly errors: DeclaredError['declaredBy'];
}

const plainJson: OutputTransformer = { serialize: (value) => value, deserialize: (value) => value };

/** Turns outputs and errors into outcomes and back, in the words the wire uses, so that a replay is the same bytes. */
export function outcomeCodec({
  transformer = plainJson,
  maxLength,
  errors,
}: OutcomeCodecOptions): OutcomeCodec {
  const encode = (value: unknown): string => {
    let encoded: unknown;
    let body: string;
    try {
      encoded = transformer.serialize(value);
      // Empty for undefined: JSON has no word for it, and null is something else.
      body = JSON.stringify(encoded) ?? '';
    } catch (cause) {
      throw notReplayable('the output cannot be serialised', cause);
    }
    if (body.length > maxLength)
      throw notReplayable(
        `the output is ${body.length} characters long and at most ${maxLength} are kept (maxOutcomeLength); return a reference to it instead`,
      );
    const lost = lostInJson(encoded, body);
    if (lost !== undefined)
      throw notReplayable(
        `the output holds a value that JSON writes as {} (${lost}): return plain objects and lists, or give defineContract() and initTRPC.create() a transformer such as superjson`,
      );
    requireReadable(body);
    return body;
  };
  const decode = (body: string): unknown =>
    transformer.deserialize(body === '' ? undefined : JSON.parse(body));
  /** A transformer may write what it cannot read, as superjson does a Buffer: found out later, nobody gets the outcome. */
  const requireReadable = (body: string): void => {
    try {
      decode(body);
    } catch (cause) {
      throw notReplayable('the output cannot be read back by the transformer', cause);
    }
  };

  return {
    completed(output) {
      if (holdsReadOnce(output))
        throw notReplayable('the output is a stream, promise or file, which cannot be replayed');
      return { status: 'COMPLETED', body: encode(output) };
    },
    failed(error) {
      const failure: StoredFailure = {
        message: error.message,
        ...(error instanceof DeclaredError &&
          error.declaredBy === errors && { declared: error.data.declared }),
      };
      return { status: 'FAILED', code: error.code, body: encode(failure) };
    },
    read(outcome, cause) {
      if (outcome.status === 'COMPLETED') return { output: decode(outcome.body) };
      const { message, declared } = decode(outcome.body) as StoredFailure;
      const code = outcome.code as TRPCError['code'];
      const error =
        declared && Object.hasOwn(errors, declared.name)
          ? new DeclaredError(errors, declared.name, declared.data, { code, message, cause })
          : new TRPCError({ code, message, cause });
      return { error };
    },
  };
}

function notReplayable(message: string, cause?: unknown): TRPCError {
  return new TRPCError({
    code: 'INTERNAL_SERVER_ERROR',
    message: `nothing was committed: ${message}`,
    cause,
  });
}
