import { insufficientFunds, receipt, receiptOf } from '../../check/good-story.js';
import type { AppCall } from '../../log/app-entry.js';
import type { Entry } from '../../log/entry.js';

/** What an app noted, where everything went well, for tests to spoil; each entry happens a millisecond after the one before. */
export class AppStory {
  readonly entries: Entry[] = [];
  #now = 0;

  get now(): number {
    this.#now += 1;
    return this.#now;
  }

  asked(operation: string, how: Partial<AppCall> = {}): this {
    const call = { app: 'team0', group: 'team', settledFirst: true, ...how };
    const input = { reference: operation, from: 'account-1', cents: 5 };
    const fate = operation === 'poor' ? 'declared' : 'effect';
    const asked = { operation, principal: 'ann', fate, path: 'transfer', input, call } as const;
    this.entries.push({ type: 'asked', at: this.now, ...asked });
    return this;
  }

  kept(operation: string, key = `key-${operation}`): this {
    this.entries.push({ type: 'kept', at: this.now, operation, key });
    return this;
  }

  /** Sent, and answered with its outcome. */
  sent(operation: string, key = `key-${operation}`, principal = 'ann'): this {
    const attempt = `attempt-${this.entries.length}`;
    const about = { attempt, operation, role: 'honest', principal, key, path: 'transfer', via: 'network' };
    this.entries.push({ type: 'sent', at: this.now, ...about } as Entry);
    const answer = operation === 'poor' ? insufficientFunds('settled') : receipt(1, operation, 'settled');
    this.entries.push({ type: 'answer', at: this.now, attempt, answer });
    return this;
  }

  told(operation: string, to: 'caller' | 'onSettled', key = `key-${operation}`): this {
    const outcome = { kind: 'completed', data: receiptOf(1, operation) } as const;
    this.entries.push({ type: 'told', at: this.now, operation, key, outcome, to });
    return this;
  }

  ended(operation: string, error: string, key = `key-${operation}`): this {
    this.entries.push({ type: 'ended', at: this.now, operation, key, error });
    return this;
  }

  /** From call to note. */
  whole(operation: string, how: Partial<AppCall> = {}): this {
    return this.asked(operation, how).kept(operation).sent(operation).told(operation, 'onSettled');
  }
}
