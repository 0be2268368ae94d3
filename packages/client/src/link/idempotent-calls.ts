import {
  defaultRetryPolicy,
  isIdempotencyKey,
  mergeRetryPolicy,
  type RetryPolicy,
} from '@trpc-once/contract';
import { v7 } from 'uuid';
import { systemClock } from '../attempts/clock.js';
import { retryBudgetOf } from '../attempts/retry-budget.js';
import { lasting, sendAttempt } from '../attempts/send-attempt.js';
import { serverOf } from '../attempts/server-of.js';
import { Session } from '../attempts/session.js';
import { wireBody, wireTransformer } from '../attempts/transformer.js';
import { NotSentError, type NotSentReason } from '../errors/not-sent-error.js';
import { DurableOutbox } from '../outbox/durable-outbox.js';
import { sameBody } from '../outbox/operation/same-body.js';
import type { Outbox } from '../outbox/outbox.js';
import { onWake } from '../outbox/waking/page-events.js';
import { checkOptions } from './check-options.js';
import type { IdempotencyOptions, IdempotentCallOptions } from './options.js';
import { clientContract } from './procedures.js';
import { rhythmOf } from './rhythm-of.js';
import { strayOption } from './stray-option.js';

export interface CallDetails extends IdempotentCallOptions {
  readonly signal?: AbortSignal | null | undefined;
  /** Told the operation's key as soon as it has one, and whose it is. */
  onKey?(key: string, owner: string | null): void;
}

const callOptions = Object.keys({
  ...{ intent: 1, key: 1, owner: 1, lane: 1, onFailure: 1, retry: 1, waitMs: 1, signal: 1, onKey: 1 },
} satisfies Record<keyof CallDetails, 1>);

/** The idempotent mutations of a contract, by path. */
export interface IdempotentCalls {
  readonly outbox: Outbox;
  /** Whether a call of this path is one. */
  has(path: string): boolean;
  /** Who is signed in now. */
  owner(): string | null;
  /** Whether a wire body means this input. @throws whatever the transformer does when it cannot write it as JSON */
  readonly isInput: (input: unknown, body: string | null) => boolean;
  /** Makes the call; its promise is rejected with errors that all know the key. */
  call(path: string, input: unknown, details: CallDetails): Promise<unknown>;
}

/**
 * @throws TypeError when an option is missing or of the wrong kind
 * @throws ContractError when the options contradict the contract, or the retry policy is out of its range
 */
export function idempotentCalls(options: IdempotencyOptions): IdempotentCalls {
  checkOptions(options);
  const { storage, owner, onSettled, onUnauthorized } = options;
  const headers = lasting(options.headers);
  const { procedures, transformer } = clientContract(options.contract, options.transformer);
  mergeRetryPolicy(defaultRetryPolicy, options.retry);
  const url = options.url.toString();
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const wire = wireTransformer(transformer);
  const has = (path: string) => Object.hasOwn(procedures, path) && procedures[path]!.idempotent;
  const signedIn = () => named(owner());
  const outbox = new DurableOutbox({
    storage,
    owner: signedIn,
    server: () => serverOf(url),
    app: `${url} ${Object.keys(procedures).filter(has).sort()}`,
    onSettled,
    settledFirst: options.settledFirst === 'onSettled',
    rhythm: rhythmOf(options),
    onWake: options.onWake ?? onWake,
    clock,
    random,
    budget: retryBudgetOf(url, clock, random),
    transformer: wire,
    knows: has,
    session: new Session(onUnauthorized),
    send: (attempt) => sendAttempt(attempt, { url, fetch: options.fetch, headers, transformer: wire, clock }),
  });
  if (options.resumeOnStart ?? storage.durable) outbox.start();

  const call: IdempotentCalls['call'] = async (path, input, details) => {
    const { key: given, intent, lane, onFailure, waitMs } = details;
    let key = given ?? '';
    const refuse = (reason: NotSentReason, message: string, cause?: unknown): never => {
      throw new NotSentError({ key, path, reason, message, cause });
    };
    for (const name of ['key', 'intent', 'lane', 'idempotency'] as const)
      if (name in details && (details[name as 'key'] ?? undefined) === undefined)
        refuse(
          name === 'key' || name === 'intent' ? name : 'options',
          `${name} is given and undefined: wait until it is known, or leave the option out for an operation without one`,
        );
    const stray = strayOption(details, callOptions);
    if (stray) refuse('options', stray);
    const tried = <T>(reason: NotSentReason, message: string, make: () => T): T => {
      try {
        return make();
      } catch (cause) {
        return refuse(reason, message, cause);
      }
    };
    key =
      given ??
      tried(
        'key',
        'no key could be made: this runtime lacks crypto.getRandomValues. In React Native install react-native-get-random-values and import it first',
        () => v7(),
      );
    const { retry, retentionMs } = procedures[path]!;
    const policy = tried('options', 'the retry policy cannot be used', () =>
      mergeRetryPolicy(retry ?? defaultRetryPolicy, options.retry, details.retry, { waitMs } as RetryPolicy),
    );
    const body = tried('input', 'the input cannot be written as JSON', () => wireBody(input, wire));
    if (intent !== undefined && !isName(intent))
      refuse('intent', 'an intent is a name that is not empty; leave it out for an operation of its own');
    if (lane !== undefined && !isName(lane))
      refuse('options', 'a lane is a name that is not empty; leave it out where no order matters');
    if (onFailure !== undefined && onFailure !== 'halt' && onFailure !== 'continue')
      refuse('options', `onFailure is 'halt' or 'continue', not ${String(onFailure)}`);
    if (!isIdempotencyKey(key)) refuse('key', 'a key is 1 to 255 printable ASCII characters without a comma');
    if (!/^https?:/i.test(url) && typeof location === 'undefined')
      refuse('options', `${url} is relative, and there is no page here that it could be relative to`);
    return outbox.submit({
      ...details,
      ...{ key, keyGiven: given !== undefined, path, body },
      owner: details.owner === undefined ? undefined : named(details.owner),
      ...{ retry: policy, retentionMs: retentionMs!, waitMs: policy.waitMs },
    });
  };
  const isInput: IdempotentCalls['isInput'] = (input, body) => sameBody(wireBody(input, wire), body, wire);
  return { outbox, has, owner: signedIn, isInput, call };
}

/**
 * Records hold a name or null; a session may have a number, or nothing at all. Of anything else the text would be the same
 * for everybody ("[object Promise]"), and one's operations another's.
 */
function named(owner: unknown): string | null {
  if (owner === undefined || owner === null) return null;
  if (['string', 'number', 'bigint'].includes(typeof owner)) return String(owner);
  throw new TypeError(
    `owner() must give the id of who is signed in, or null, at once; it gave ${owner instanceof Promise ? 'a promise' : typeof owner}`,
  );
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
