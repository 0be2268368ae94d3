import type { OnceEvent } from '@trpc-once/server';

/** An event, small enough to be told from one process to another for each call. */
export interface ServerEvent {
  readonly name: string;
  /** Only of faults of the library's own. */
  readonly error?: string;
}

/** `settled`, `replayed`, `released`, `unknown` for answers, the refusal for refusals, the type for all else. */
export function serverEvent(event: OnceEvent): ServerEvent {
  if (event.type === 'answered') return { name: event.settlement };
  if (event.type === 'refused') return { name: event.refusal };
  if (event.type === 'fault') return { name: 'fault', error: String(event.error) };
  return { name: event.type };
}

/** What the servers did, all of them together, those that were killed included. */
export class AnswerTally {
  readonly #counts = new Map<string, number>();
  readonly #faults: string[] = [];

  count({ name, error }: ServerEvent): void {
    this.#counts.set(name, this.of(name) + 1);
    if (error !== undefined) this.#faults.push(error);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** What should never have happened, in words. */
  faults(): readonly string[] {
    const never = ['FINGERPRINT_MISMATCH', 'KEY_EXPIRED', 'KEY_MISSING', 'KEY_MALFORMED', 'KEY_SHARED'];
    const refused = [...never, 'SCOPE_MISSING', 'INDETERMINATE'].filter((name) => this.of(name) > 0);
    return [
      ...this.#faults.map((error) => `a server met a fault of its own: ${error}`),
      ...refused.map((name) => `a server refused ${this.of(name)} attempts with ${name}`),
    ];
  }
}
