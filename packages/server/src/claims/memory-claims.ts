import { requireKnown } from '../options/require-known.js';
import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';
import type { Claim, ClaimStore } from './claim-store.js';

type Entry = { readonly fingerprint: string; endsAt: number } & (
  | { readonly ownerToken: string; readonly since: number; readonly outcome?: undefined }
  | { readonly outcome: Outcome }
);

export interface MemoryClaimsOptions {
  /** @default performance.now: monotonic, so that a change of the system's date ends no lease */
  readonly now?: () => number;
  /**
   * Entries kept at most. Beyond it the oldest are forgotten, which costs speed and nothing else.
   * @default 100_000
   */
  readonly maxEntries?: number;
}

const known = { now: true, maxEntries: true } satisfies Record<keyof MemoryClaimsOptions, true>;

/**
 * Claims in this process alone: for the embedded default, development and tests. Two processes with one of these each
 * do not see each other's claims; the records still keep the promise.
 *
 * @throws TypeError when an option is unknown.
 */
export function memoryClaims(options: MemoryClaimsOptions = {}): ClaimStore {
  requireKnown('memoryClaims', options, known);
  const { now = () => performance.now(), maxEntries = 100_000 } = options;
  const entries = new Map<string, Entry>();
  const watchers = new Map<string, Set<() => void>>();
  const tellWatchers = (name: string): void => {
    for (const onNews of watchers.get(name) ?? []) onNews();
  };

  const find = (name: string): Entry | undefined => {
    const entry = entries.get(name);
    if (entry && entry.endsAt <= now()) {
      entries.delete(name);
      return undefined;
    }
    return entry;
  };
  const put = (name: string, entry: Entry): void => {
    entries.delete(name);
    entries.set(name, entry);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string);
  };
  const take = ({ id, fingerprint, ownerToken, leaseMs }: Claim, since = now()): void =>
    put(nameOf(id), { fingerprint, ownerToken, since, endsAt: now() + leaseMs });

  return {
    async claim(claim) {
      const entry = find(nameOf(claim.id));
      if (!entry) {
        take(claim);
        return { kind: 'ACQUIRED' };
      }
      if (entry.fingerprint !== claim.fingerprint)
        return { kind: 'MISMATCH', fingerprint: entry.fingerprint };
      if (entry.outcome) return { kind: 'SETTLED', outcome: entry.outcome };
      if (entry.ownerToken !== claim.ownerToken)
        return { kind: 'IN_PROGRESS', leftMs: entry.endsAt - now(), ageMs: now() - entry.since };
      take(claim, entry.since);
      return { kind: 'ACQUIRED' };
    },
    async renew(claim) {
      const entry = find(nameOf(claim.id));
      if (entry && (entry.outcome || entry.ownerToken !== claim.ownerToken)) return 'LOST';
      take(claim, entry?.since);
      return 'RENEWED';
    },
    async release({ id, ownerToken }) {
      const name = nameOf(id);
      const entry = find(name);
      if (!entry || entry.outcome || entry.ownerToken !== ownerToken) return;
      entries.delete(name);
      tellWatchers(name);
    },
    async settle({ id, fingerprint, outcome, retainMs }) {
      put(nameOf(id), { fingerprint, outcome, endsAt: now() + retainMs });
      tellWatchers(nameOf(id));
    },
    async watch(id, onNews) {
      const name = nameOf(id);
      // A function of its own, so that one listener given twice is two.
      const own = (): void => onNews();
      const watching = watchers.get(name) ?? new Set();
      watchers.set(name, watching.add(own));
      return () => {
        if (watching.delete(own) && watching.size === 0) watchers.delete(name);
      };
    },
    async close() {
      entries.clear();
    },
  };
}

function nameOf({ scope, key }: OperationId): string {
  return `${scope.length}:${scope}${key}`;
}
