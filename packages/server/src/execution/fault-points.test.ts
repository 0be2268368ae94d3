import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Claim } from '../claims/claim-store.js';
import { noClaims } from '../claims/guarded-claims.js';
import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { RecordDraft, RecordStore, Transacted } from '../records/record-store.js';
import { type FaultPoint, faultPoints, type Stores, withFaultPoints } from './fault-points.js';

const id = { scope: '["ann"]', key: 'k1' };
const outcome: Outcome = { status: 'COMPLETED', body: '1' };
const claim: Claim = { id, fingerprint: '1.a', ownerToken: 'o', leaseMs: 1_000 };
const draft: RecordDraft = { id, procedure: 'pay', fingerprint: '1.a', retentionMs: 1_000 };

/** Stores that answer at once and note when they are asked. */
function notingStores(seen: string[], transacted?: Transacted): Stores<undefined> {
  const noted =
    <T>(name: string, answer: T) =>
    async (): Promise<T> => {
      seen.push(name);
      return answer;
    };
  const records: RecordStore<undefined> = {
    async transact(_, work) {
      seen.push('BEGIN');
      if (transacted) return transacted;
      const settled = await work(undefined);
      seen.push('COMMIT');
      return { kind: 'settled', outcome: settled };
    },
    read: noted('read()', undefined),
    probe: noted('probe()', { kind: 'absent' }),
    deleteExpired: async () => ({ count: 0, upTo: undefined }),
    markAbandoned: async () => [],
    migrate: async () => {},
    close: async () => {},
  };
  const claims = {
    ...noClaims,
    claim: noted('claim()', { kind: 'ACQUIRED' } as const),
    renew: noted('renew()', 'RENEWED' as const),
    release: noted('release()', undefined),
    settle: noted('settle()', undefined),
    watch: noted('watch()', () => {}),
  };
  return { claims, records };
}

/** One call of everything that an attempt may ask of the stores, and what is to be seen of it. */
const asked: readonly [string, (stores: Stores<undefined>) => Promise<unknown>, string[]][] = [
  ['claim', ({ claims }) => claims.claim(claim), ['claiming', 'claim()', 'claimed']],
  ['renew', ({ claims }) => claims.renew(claim), ['renewing', 'renew()', 'renewed']],
  ['release', ({ claims }) => claims.release(claim), ['releasing', 'release()', 'released']],
  [
    'settle',
    ({ claims }) => claims.settle({ id, fingerprint: '1.a', outcome, retainMs: 1 }),
    ['telling', 'settle()', 'told'],
  ],
  ['watch', ({ claims }) => claims.watch(id, () => {}), ['watching', 'watch()', 'watched']],
  ['read', ({ records }) => records.read(id), ['reading', 'read()', 'read']],
  ['probe', ({ records }) => records.probe(id), ['probing', 'probe()', 'probed']],
  [
    'transact',
    ({ records }) => records.transact(draft, async () => outcome),
    ['beginning', 'BEGIN', 'begun', 'ran', 'COMMIT', 'settled'],
  ],
];

describe('on both sides of everything that an attempt asks of the stores there is a point', () => {
  for (const [name, ask, expected] of asked)
    test(name, async () => {
      const seen: string[] = [];
      await ask(withFaultPoints(notingStores(seen), (point) => void seen.push(point)));
      expect(seen).toEqual(expected);
    });

  test('and these are all the points', () => {
    const named = asked.flatMap(([, , seen]) => seen).filter((name) => /^[a-z]+$/.test(name));
    expect(new Set(named)).toEqual(new Set(faultPoints));
    expect(new Set(faultPoints).size).toBe(faultPoints.length);
  });
});

test('without faults the stores are not touched', () => {
  const stores = notingStores([]);
  expect(withFaultPoints(stores, undefined)).toBe(stores);
});

test('a transaction that did not settle does not pass "settled"', async () => {
  const seen: string[] = [];
  const stores = withFaultPoints(notingStores(seen, { kind: 'busy' }), (point) => void seen.push(point));
  expect(await stores.records.transact(draft, async () => outcome)).toEqual({ kind: 'busy' });
  expect(seen).toEqual(['beginning', 'BEGIN']);
});

const failingAt = (at: FaultPoint) =>
  withFaultPoints(notingStores([]), (point) => {
    if (point === at) throw new Error(`failed at ${at}`);
  });

test('a failure behind the commit is a COMMIT whose answer was lost, never a transaction that failed', async () => {
  const { records } = failingAt('settled');
  await expect(records.transact(draft, async () => outcome)).rejects.toThrow(CommitUnknownError);
});

test('a handler that fails passes "ran" all the same, and its error stays its own', async () => {
  const seen: string[] = [];
  const { records } = withFaultPoints(notingStores(seen), (point) => void seen.push(point));
  await expect(records.transact(draft, () => Promise.reject(new Error('its own')))).rejects.toThrow(
    'its own',
  );
  expect(seen).toEqual(['beginning', 'BEGIN', 'begun', 'ran']);
});

/** What an attempt may wait for besides the stores. Whoever adds to these knows that no fault can be put there. */
const ownWaits = [
  // Defined in this room, where their own waits are looked at.
  ...['this.#claim', 'this.#run', 'this.#wait', 'this.#ports.execute', 'runAndSettle', 'findOut'],
  ...['lease.release', 'pending', 'Promise.allSettled'],
  // The handler, between `begun` and `ran`.
  'limit.run',
  // Time.
  ...['delay', 'news.within', 'new Promise<void>'],
];

test('nothing in this room waits for anything else, so that nothing can be waited for without a point', () => {
  const waits = sources().flatMap(awaited);
  expect(waits.length).toBeGreaterThan(20);
  const stores = waits.filter((wait) => /\b(?:claims|records)\.\w+$/.test(wait));
  const methods = new Set(stores.map((wait) => wait.split('.').at(-1)));
  // `settle` is told in the background, so nobody awaits it.
  expect(new Set([...methods, 'settle'])).toEqual(new Set(asked.map(([name]) => name)));
  expect(new Set(waits.filter((wait) => !stores.includes(wait)))).toEqual(new Set(ownWaits));
});

/** Where something to wait for could come from without an `await` in front of it: `return fetch(url).then(…)`, say. */
const origins = [
  ...['node:crypto', '@trpc-once/contract'],
  ...['../claims/', '../records/', '../outcome/', '../events/', '../fingerprint/', '../timing/', './'],
];

test('nor does anything here wait without saying so, or know of anything else that could be waited for', () => {
  for (const source of sources()) {
    expect(source).not.toMatch(/\.then\(|\bfor await\b|\bfetch\(|\bimport\(/);
    const imported = [...source.matchAll(/ from '([^']+)'/g)].map(([, from]) => from as string);
    for (const from of imported)
      expect(
        origins.some((origin) => from.startsWith(origin)),
        from,
      ).toBe(true);
  }
});

/** The files of this room, but for its tests and the points themselves. */
function sources(): string[] {
  const room = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(room).filter((name) => !/\.test\.ts$|^fault-points\.ts$/.test(name));
  return files.map((name) => readFileSync(room + name, 'utf8'));
}

/** What each `await` of a source waits for, by name; `within` only bounds it. */
function awaited(source: string): string[] {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '')
    .replaceAll(/\s+/g, ' ');
  return [...code.matchAll(/\bawait (?:within\( ?)?((?:new )?[\w.#<>]+)/g)].map(([, name]) => name as string);
}
