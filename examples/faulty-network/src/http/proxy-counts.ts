import { type Fault, faultNames } from '../faults.js';
import type { ProxyEvent } from './proxy-event.js';

/** What went through the proxy since it began. Preflights are not counted. */
export interface ProxyCounts {
  readonly requests: number;
  /** Decided, by kind; `pass` included, so that they add up to `requests`. */
  readonly faults: { readonly [F in Fault]: number };
  /** Copies that went out to an upstream. */
  readonly forwarded: number;
  /** Those of them that were second copies. */
  readonly duplicates: number;
  /** Copies whose answer was read to the end. */
  readonly answered: number;
  /** Connections that an upstream refused. */
  readonly refused: number;
  /** Connections that an upstream broke after it had taken them. */
  readonly broken: number;
  /** How the requests ended for the client; those still under way are in none of them. */
  readonly clients: { readonly answered: number; readonly cut: number; readonly gone: number };
}

export const noCounts: ProxyCounts = Object.freeze({
  requests: 0,
  faults: Object.freeze(Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<Fault, number>),
  forwarded: 0,
  duplicates: 0,
  answered: 0,
  refused: 0,
  broken: 0,
  clients: Object.freeze({ answered: 0, cut: 0, gone: 0 }),
});

/** The counts after `event`: they hold what the events say, and nothing else. */
export function counted(counts: ProxyCounts, event: ProxyEvent): ProxyCounts {
  switch (event.type) {
    case 'arrived': {
      const { fault } = event.decision;
      return {
        ...counts,
        requests: counts.requests + 1,
        faults: { ...counts.faults, [fault]: counts.faults[fault] + 1 },
      };
    }
    case 'forwarded':
      return {
        ...counts,
        forwarded: counts.forwarded + 1,
        duplicates: counts.duplicates + (event.copy === 2 ? 1 : 0),
      };
    case 'answered':
      return { ...counts, answered: counts.answered + 1 };
    case 'upstream-failed':
      return event.refused
        ? { ...counts, refused: counts.refused + 1 }
        : { ...counts, broken: counts.broken + 1 };
    case 'ended':
      return {
        ...counts,
        clients: { ...counts.clients, [event.client]: counts.clients[event.client] + 1 },
      };
  }
}
