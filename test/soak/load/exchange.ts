import type { Entry, RawAnswer, Role } from '../log/entry.js';
import type { Log } from '../log/log.js';

/**
 * After this long without an answer a sender gives the attempt up, and the checker calls it a violation. What a server
 * itself may wait for adds up to 30 s: 5 for a connection, 10 for the look-up, 10 for COMMIT, 5 to find out about one that
 * went unanswered. The handlers, which dwell and wait for the row locks of frozen servers, may take the other half again.
 */
export const ANSWER_BOUND_MS = 45_000;

export interface Attempt {
  readonly attempt: string;
  readonly operation: string;
  readonly role: Role;
  readonly principal: string;
  readonly key: string;
  readonly path: string;
  readonly input: unknown;
  /** Which of the servers' doors. */
  readonly door: number;
  /** When to hang up, in milliseconds: a client that went away. @default {@link ANSWER_BOUND_MS} */
  readonly patienceMs?: number | undefined;
}

/** Where attempts go, and where all of them are logged. */
export interface Exchanges {
  readonly log: Log;
  readonly doors: readonly string[];
}

/** Sends one attempt the way curl would and logs all of it as it happens; `undefined` where no answer came. */
export async function exchange({ log, doors }: Exchanges, attempt: Attempt): Promise<RawAnswer | undefined> {
  const { attempt: name, operation, role, principal, key, path, input, door, patienceMs } = attempt;
  const entry = { operation, role, principal, key, path, via: `door ${door}` } as const;
  log.write({ type: 'sent', at: Date.now(), attempt: name, ...entry });
  const end = (how: { type: 'answer'; answer: RawAnswer } | { type: 'silence'; why: string }): void =>
    log.write({ at: Date.now(), attempt: name, ...how } as Entry);
  try {
    const response = await fetch(`${doors[door]}/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        'x-user': principal,
        'x-attempt': name,
      },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(patienceMs ?? ANSWER_BOUND_MS),
    });
    const answer = rawAnswer(response, await response.text());
    end({ type: 'answer', answer });
    return answer;
  } catch (error) {
    end({ type: 'silence', why: reasonOf(error) });
    return undefined;
  }
}

export function rawAnswer({ status, headers }: Response, text: string): RawAnswer {
  return {
    status,
    headers: {
      status: headers.get('idempotency-status'),
      replayed: headers.get('idempotency-replayed'),
      retryAfter: headers.get('retry-after'),
    },
    text,
  };
}

/** Node's fetch says only "fetch failed"; what happened is in the cause. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? `${name}: ${message}`;
}
