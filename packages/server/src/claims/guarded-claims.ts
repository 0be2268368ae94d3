import type { OperationId } from '../outcome/operation-id.js';
import { within } from '../timing/within.js';
import { circuitBreaker, LeftAloneError } from './circuit-breaker.js';
import type { Claim, ClaimReply, ClaimStore, SettledClaim } from './claim-store.js';

/** The store did not answer in time, or at all: go on without it. */
export interface ClaimUnavailable {
  readonly kind: 'UNAVAILABLE';
  /**
   * To be called when the attempt ends: a claim that was sent may still be granted behind our back, and would hold the
   * key for a whole lease, for nobody.
   */
  abandon(): void;
}

export interface GuardedClaimsOptions {
  /**
   * How long one call may take, in milliseconds. A healthy Redis answers in one or two; a call waits no longer for a hint.
   * @default 250
   */
  readonly timeoutMs?: number;
  /**
   * After this many failures in a row the store is left alone for `pauseMs`.
   * @default 3
   */
  readonly failures?: number;
  /**
   * How long the store is left alone before one call tries it again, in milliseconds.
   * @default 1_000
   */
  readonly pauseMs?: number;
  /** Told of every failed call, with the error. */
  readonly onFailure?: (error: unknown) => void;
  /** Told when the store is left alone, and when it answers again. */
  readonly onChange?: (available: boolean) => void;
}

/** A claim store that never fails and never keeps anyone waiting: what cannot be told in time is not told. */
export interface GuardedClaims {
  claim(claim: Claim): Promise<ClaimReply | ClaimUnavailable>;
  renew(claim: Claim): Promise<'RENEWED' | 'LOST' | 'UNAVAILABLE'>;
  release(claim: Claim): Promise<void>;
  settle(settled: SettledClaim): Promise<void>;
  /** As the store's own; where that cannot watch, or not now, there is simply no news. */
  watch(id: OperationId, onNews: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Puts a time limit and a circuit breaker around a claim store. */
export function guardedClaims(store: ClaimStore, options: GuardedClaimsOptions = {}): GuardedClaims {
  const { timeoutMs = 250, failures = 3, pauseMs = 1_000, onFailure, onChange } = options;
  const breaker = circuitBreaker({ failures, pauseMs, onChange: (closed) => onChange?.(closed) });

  /** The last renewal of each owner, while the store has not answered it. */
  const unanswered = new Map<string, Promise<unknown>>();

  function renewing(claim: Claim): Promise<'RENEWED' | 'LOST'> {
    const sent = store.renew(claim);
    unanswered.set(claim.ownerToken, sent);
    const forget = (): void => {
      if (unanswered.get(claim.ownerToken) === sent) unanswered.delete(claim.ownerToken);
    };
    sent.then(forget, forget);
    return sent;
  }

  async function ask<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await breaker(() => within(call(), timeoutMs, 'the claim store'));
    } catch (error) {
      if (!(error instanceof LeftAloneError)) onFailure?.(error);
      return undefined;
    }
  }

  return {
    async claim(claim) {
      let sent: Promise<ClaimReply> | undefined;
      const reply = await ask(() => {
        sent = store.claim(claim);
        return sent;
      });
      // An error is no proof either: the claim may have been granted and the answer lost.
      const abandon = (): void =>
        void sent
          ?.catch(() => {})
          .then(() => store.release(claim))
          .catch(() => {});
      return reply ?? { kind: 'UNAVAILABLE', abandon };
    },
    async renew(claim) {
      return (await ask(() => renewing(claim))) ?? 'UNAVAILABLE';
    },
    async release(claim) {
      const late = unanswered.get(claim.ownerToken);
      await ask(() => store.release(claim));
      // A renewal that the store comes to only now takes a claim that is gone anew, for nobody: it is released behind it.
      late
        ?.catch(() => {})
        .then(() => store.release(claim))
        .catch(() => {});
    },
    async settle(settled) {
      await ask(() => store.settle(settled));
    },
    async watch(id, onNews) {
      if (!store.watch) return () => {};
      let sent: Promise<() => void> | undefined;
      const stop = await ask(() => {
        sent = (store.watch as NonNullable<ClaimStore['watch']>)(id, onNews);
        return sent;
      });
      // One that begins after all, when nobody waits for it any more, is ended.
      if (!stop) sent?.then((late) => late()).catch(() => {});
      return stop ?? (() => {});
    },
    close: () => store.close(),
  };
}

/** Without a claim store every call goes to Postgres, which is all the promise needs. */
export const noClaims: GuardedClaims = {
  claim: async () => ({ kind: 'UNAVAILABLE', abandon: () => {} }),
  renew: async () => 'UNAVAILABLE',
  release: async () => {},
  settle: async () => {},
  watch: async () => () => {},
  close: async () => {},
};
