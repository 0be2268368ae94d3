import { describe, expect, test, vi } from 'vitest';
import type { ClaimReply } from '../claims/claim-store.js';
import { fingerprinter } from '../fingerprint/fingerprint.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { StoredRecord, Transacted } from '../records/record-store.js';
import { TransactionMisuseError } from '../records/transaction-misuse-error.js';
import { attempt, done, type World } from '../testing/attempt.js';

const old = fingerprinter();
const keyed = fingerprinter([{ id: 'march', secret: 's' }]);
const gone = new Error('Connection terminated unexpectedly');

const recordOf = (fingerprint: string, more: Partial<StoredRecord> = {}): StoredRecord => ({
  fingerprint,
  status: 'COMPLETED',
  outcome: done,
  leftMs: 5_000,
  ...more,
});
/** A transaction that ends as its work does. */
const inTransaction: World['transact'] = (_, work) =>
  work(undefined).then(() => ({ kind: 'settled', outcome: done }));
const mine = old('pay', 1).text;
const inProgress = (ageMs: number): ClaimReply => ({ kind: 'IN_PROGRESS', leftMs: 20_000, ageMs });

describe('a claim that is ours', () => {
  test('settles, tells the claim store, and does not give the claim up', async () => {
    const { answer, asked, told } = await attempt({});
    expect(answer).toEqual({ kind: 'settled', outcome: done });
    expect(asked).toEqual(['claim', 'transact', 'settle']);
    expect(told).toMatchObject([{ fingerprint: mine, outcome: done, retainMs: 60_000 }]);
  });

  test('finds the record of an earlier attempt: replayed, and told for as long as the record has left', async () => {
    const { answer, told } = await attempt({
      transact: async () => ({ kind: 'found', record: recordOf(mine) }),
    });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect(told).toMatchObject([{ retainMs: 5_000 }]);
  });

  test.each<[string, () => Promise<Transacted>, object]>([
    ['another transaction has the operation', async () => ({ kind: 'busy' }), { refusal: 'IN_PROGRESS' }],
    ['the database is gone', () => Promise.reject(gone), { refusal: 'STORE_UNAVAILABLE' }],
    [
      'the record is of another input',
      async () => ({ kind: 'found', record: recordOf(old('pay', 2).text) }),
      { refusal: 'FINGERPRINT_MISMATCH' },
    ],
    [
      'somebody has to find out what became of it',
      async () => ({
        kind: 'found',
        record: recordOf(mine, { status: 'INDETERMINATE', outcome: undefined }),
      }),
      { refusal: 'INDETERMINATE' },
    ],
  ])('is given up at once when there is nothing to run: %s', async (_, transact, answer) => {
    const end = await attempt({ transact });
    expect(end.answer).toMatchObject({ kind: 'refused', ...answer });
    expect(end.asked).toEqual(['claim', 'transact', 'release']);
  });
});

describe('a transaction that was lost after its handler had run', () => {
  const transact = async (_: unknown, work: (tx: unknown) => Promise<unknown>) => {
    await work(undefined);
    throw gone;
  };

  test('may have been lost long ago: what another attempt settled meanwhile is replayed', async () => {
    const { answer, asked } = await attempt({ transact, record: recordOf(mine) });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect(asked).toEqual(['claim', 'transact', 'read', 'settle']);
  });

  test('and of which there is no record, or no way to look, is released', async () => {
    for (const record of [undefined, gone]) {
      const { answer, asked } = await attempt({ transact, record });
      expect(answer).toEqual({ kind: 'released', error: gone, retryAfterMs: 1_000 });
      expect(asked).toEqual(['claim', 'transact', 'read', 'release']);
    }
  });
});

describe('a handler that ran for too long', () => {
  const hangs: Partial<World> = { run: () => new Promise(() => {}), runTimeoutMs: 20 };

  test('is released, with its claim, and told', async () => {
    const { answer, asked, events } = await attempt({ ...hangs, transact: inTransaction });
    expect(answer).toMatchObject({
      kind: 'released',
      error: { name: 'RunTimeoutError' },
      retryAfterMs: 1_000,
    });
    expect(asked).toEqual(['claim', 'transact', 'read', 'release']);
    expect(events).toMatchObject([{ type: 'run-timed-out', error: { runTimeoutMs: 20 } }]);
  });

  test('may have been overtaken meanwhile: what another attempt settled is replayed', async () => {
    const { answer } = await attempt({ ...hangs, transact: inTransaction, record: recordOf(mine) });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
  });

  test('says so, also where its rollback was not heard of', async () => {
    const { answer, events } = await attempt({
      ...hangs,
      transact: (_, work) =>
        work(undefined).then(
          () => expect.fail('it hangs'),
          () => Promise.reject(gone),
        ),
    });
    expect(answer).toMatchObject({ kind: 'released', error: { name: 'RunTimeoutError' } });
    expect(events).toMatchObject([{ type: 'run-timed-out' }]);
  });
});

test('a handler that ended its transaction by itself: unknown, told, and the claim is kept, for nobody can find out', async () => {
  const misuse = new TransactionMisuseError('ended');
  const { answer, asked, events } = await attempt({
    transact: (_, work) => work(undefined).then(() => Promise.reject(misuse)),
  });
  expect(answer).toEqual({ kind: 'unknown', retryAfterMs: 1_000, cause: misuse });
  expect(asked).toEqual(['claim', 'transact']);
  expect(events).toMatchObject([{ type: 'misused', error: misuse }]);
});

describe('a COMMIT without an answer', () => {
  const transact = () => Promise.reject(new CommitUnknownError(gone));

  test('that turns out to have happened is replayed', async () => {
    const { answer, asked, events } = await attempt({
      transact,
      probe: async () => ({ kind: 'found', record: recordOf(mine) }),
    });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect(asked).toEqual(['claim', 'transact', 'probe', 'settle']);
    expect(events).toMatchObject([{ type: 'commit-unknown' }]);
  });

  test('that turns out not to have happened is released', async () => {
    const { answer, asked } = await attempt({ transact });
    expect(answer).toMatchObject({ kind: 'released', retryAfterMs: 1_000 });
    expect(asked).toEqual(['claim', 'transact', 'probe', 'release']);
  });

  test('that nobody can find out about is unknown, and the claim is kept: nobody may run it meanwhile', async () => {
    const { answer, asked } = await attempt({ transact, probe: () => Promise.reject(gone) });
    expect(answer).toEqual({ kind: 'unknown', retryAfterMs: 1_000, cause: expect.any(CommitUnknownError) });
    expect(asked).not.toContain('release');
  });
});

describe('an attempt that another’s record fenced, and that cannot read it', () => {
  const fenced = { transact: async () => ({ kind: 'fenced' }) as const, record: gone };

  test('finds out what settled, and replays it', async () => {
    const { answer } = await attempt({
      ...fenced,
      probe: async () => ({ kind: 'found', record: recordOf(mine) }),
    });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
  });

  test('never says that nothing settled: unknown, and the claim is kept', async () => {
    const { answer, asked } = await attempt({ ...fenced, probe: () => Promise.reject(gone) });
    expect(answer).toEqual({ kind: 'unknown', retryAfterMs: 1_000, cause: gone });
    expect(asked).not.toContain('release');
  });
});

describe('a claim that another has', () => {
  test('and that is young is refused, before any database connection is taken', async () => {
    const { answer, asked } = await attempt({ claims: [inProgress(300)] });
    expect(answer).toEqual({ kind: 'refused', refusal: 'IN_PROGRESS', retryAfterMs: 300 });
    expect(asked).toEqual(['claim']);
  });

  test('and that is old is looked up, for its owner may have died just behind the commit', async () => {
    const found = await attempt({ claims: [inProgress(1_500)], record: recordOf(mine) });
    expect(found.answer).toEqual({ kind: 'replayed', outcome: done });
    expect(found.asked).toEqual(['claim', 'read', 'settle']);
    const none = await attempt({ claims: [inProgress(1_500)] });
    expect(none.answer).toEqual({ kind: 'refused', refusal: 'IN_PROGRESS', retryAfterMs: 1_500 });
  });

  test('and whose record is out of reach is 503: it may have an outcome', async () => {
    const { answer, events } = await attempt({ claims: [inProgress(1_500)], record: gone });
    expect(answer).toMatchObject({ refusal: 'STORE_UNAVAILABLE' });
    expect(events).toMatchObject([{ type: 'records-failed', error: gone }]);
  });
});

describe('a claim with another input', () => {
  test('is refused for good only when the record does not say otherwise', async () => {
    const claims: ClaimReply[] = [{ kind: 'MISMATCH', fingerprint: old('pay', 2).text }];
    const refused = { kind: 'refused', refusal: 'FINGERPRINT_MISMATCH' };
    const recorded = recordOf(old('pay', 2).text);
    expect((await attempt({ claims, record: recorded })).answer).toEqual(refused);
    const { answer } = await attempt({ claims, record: recordOf(mine) });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect((await attempt({ claims, record: gone })).answer).toMatchObject({ refusal: 'STORE_UNAVAILABLE' });
  });

  test('and no record yet is refused for now: it says when to ask again', async () => {
    const claims: ClaimReply[] = [{ kind: 'MISMATCH', fingerprint: old('pay', 2).text }];
    expect((await attempt({ claims })).answer).toEqual({
      kind: 'refused',
      refusal: 'FINGERPRINT_MISMATCH',
      retryAfterMs: expect.any(Number),
    });
  });
});

describe('a claim that has settled', () => {
  test('is replayed from what the claim store knows', async () => {
    const { answer, asked } = await attempt({ claims: [{ kind: 'SETTLED', outcome: done }] });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect(asked).toEqual(['claim']);
  });

  test('with an outcome too large for it, from the record', async () => {
    const { answer } = await attempt({
      claims: [{ kind: 'SETTLED', outcome: undefined }],
      record: recordOf(mine),
    });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
  });

  test('and whose record is gone since runs: the record decides', async () => {
    const { answer, asked } = await attempt({ claims: [{ kind: 'SETTLED', outcome: undefined }] });
    expect(answer.kind).toBe('settled');
    expect(asked).toEqual(['claim', 'read', 'transact', 'settle']);
  });
});

test('without the claim store the records alone are asked, and a claim that was granted late is given up', async () => {
  const abandon = vi.fn();
  const { answer, asked } = await attempt({ claims: [{ kind: 'UNAVAILABLE', abandon }] });
  expect(answer.kind).toBe('settled');
  expect(asked).toEqual(['claim', 'transact', 'settle']);
  expect(abandon).toHaveBeenCalledTimes(1);
});

describe('a rolling deploy that changes how fingerprints are made', () => {
  test('an entry of the old way is asked for in its own words, and replays', async () => {
    const { answer, claimed } = await attempt({
      fingerprint: keyed('pay', 1),
      claims: [
        { kind: 'MISMATCH', fingerprint: mine },
        { kind: 'SETTLED', outcome: done },
      ],
    });
    expect(answer).toEqual({ kind: 'replayed', outcome: done });
    expect(claimed.map(({ fingerprint }) => fingerprint)).toEqual([keyed('pay', 1).text, mine]);
  });

  test('another input under the old way is refused all the same', async () => {
    const { answer, asked } = await attempt({
      fingerprint: keyed('pay', 2),
      claims: [{ kind: 'MISMATCH', fingerprint: mine }],
    });
    expect(answer).toMatchObject({ kind: 'refused', refusal: 'FINGERPRINT_MISMATCH' });
    expect(asked).toEqual(['claim', 'read']);
  });

  test('a way that this instance does not know is 503, never "never again": another instance can tell', async () => {
    const theirs = keyed('pay', 1).text;
    for (const world of [
      { claims: [{ kind: 'MISMATCH', fingerprint: theirs } as const] },
      { transact: async () => ({ kind: 'found', record: recordOf(theirs) }) as const },
      { claims: [inProgress(1_500)], record: recordOf(theirs) },
    ])
      expect((await attempt(world)).answer).toMatchObject({
        refusal: 'STORE_UNAVAILABLE',
        retryAfterMs: 1_000,
      });
  });

  test('a record of the old way is told to the claim store in its own words', async () => {
    const { told } = await attempt({
      fingerprint: keyed('pay', 1),
      transact: async () => ({ kind: 'found', record: recordOf(mine) }),
    });
    expect(told).toMatchObject([{ fingerprint: mine }]);
  });
});

test('a table that is not there is reported with what to do about it', async () => {
  const { events } = await attempt({
    transact: () =>
      Promise.reject(Object.assign(new Error('no relation'), { code: '42P01', severity: 'ERROR' })),
  });
  expect(String((events[0] as { error: unknown }).error)).toContain('await once.migrate()');
});
