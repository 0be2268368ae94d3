import { describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from '../records/commit-unknown-error.js';
import type { RecordStore, StoredRecord, Transacted } from '../records/record-store.js';
import { TransactionMisuseError } from '../records/transaction-misuse-error.js';
import type { Call, Ran } from './call.js';
import { runAndSettle } from './run-and-settle.js';

type Tx = { readonly run: number };
type Work = (tx: Tx) => Promise<Outcome>;

const done: Outcome = { status: 'COMPLETED', body: '1' };
const poor: Outcome = { status: 'FAILED', code: 'CONFLICT', body: '{}' };
const record: StoredRecord = { fingerprint: '1.a', status: 'COMPLETED', outcome: done, leftMs: 1 };

const sqlError = (code: string): Error =>
  Object.assign(new Error(`sql ${code}`), { code, severity: 'ERROR' });
const deadlock = sqlError('40P01');
const gone = new Error('Connection terminated unexpectedly');

/** A transaction that ends as told: by itself, or by the work. */
const works = (work: Work, tx: Tx): Promise<Transacted> =>
  work(tx).then((outcome) => ({ kind: 'settled', outcome }));
const failsAtCommit =
  (error: unknown) =>
  async (work: Work, tx: Tx): Promise<Transacted> => {
    await work(tx);
    throw error;
  };
const failsAtOnce = (error: unknown) => async (): Promise<Transacted> => {
  throw error;
};
const ends = (how: Transacted) => async (): Promise<Transacted> => how;
const fenced = async (work: Work, tx: Tx): Promise<Transacted> => {
  await work(tx);
  return { kind: 'fenced' };
};

/** Runs a call whose transactions and handler end as told, one after the other; the last way goes on. */
async function settle(
  transactions: ((work: Work, tx: Tx) => Promise<Transacted>)[],
  handler: (tx: Tx) => Promise<Ran> | Ran,
  read: StoredRecord | undefined | Error = undefined,
) {
  const handled = vi.fn(handler);
  const onRunAgain = vi.fn();
  const onFenced = vi.fn();
  let transacted = 0;
  const records = {
    transact(_: unknown, work: Work) {
      const how = transactions[Math.min(transacted++, transactions.length - 1)]!;
      return how(work, { run: transacted });
    },
    async read() {
      if (read instanceof Error) throw read;
      return read;
    },
  } as unknown as RecordStore<Tx>;
  const call: Call<Tx> = {
    id: { scope: '[]', key: 'k1' },
    procedure: 'pay',
    fingerprint: { text: '1.a', compare: () => 'same' },
    retentionMs: 1_000,
    leaseMs: 1_000,
    run: async (tx) => handled(tx),
  };
  const ended = await runAndSettle(call, { records, runTimeoutMs: 60_000, onRunAgain, onFenced });
  return { ended, handled, onRunAgain, onFenced, transacted };
}

const succeeds = (): Ran => ({ kind: 'outcome', outcome: done });
const fails = (error: unknown) => (): Ran => ({ kind: 'error', error });

test('the outcome of the handler settles in the transaction that it ran in', async () => {
  const { ended, handled, transacted } = await settle([works], succeeds);
  expect(ended).toEqual({ kind: 'settled', outcome: done });
  expect(handled).toHaveBeenCalledExactlyOnceWith({ run: 1 });
  expect(transacted).toBe(1);
});

test('an operation that has settled or that another holds is not run', async () => {
  for (const how of [{ kind: 'found', record }, { kind: 'busy' }] as const) {
    const { ended, handled } = await settle([ends(how)], succeeds);
    expect(ended).toEqual(how);
    expect(handled).not.toHaveBeenCalled();
  }
});

describe('a failed outcome', () => {
  const failing = (): Ran => ({ kind: 'outcome', outcome: poor });

  test('rolls its transaction back and settles in one of its own, without running again', async () => {
    const rolledBack: unknown[] = [];
    const noting = (work: Work, tx: Tx) =>
      works(work, tx).catch((error) => {
        rolledBack.push(tx.run);
        throw error;
      });
    const { ended, handled, transacted } = await settle([noting], failing);
    expect(ended).toEqual({ kind: 'settled', outcome: poor });
    expect(rolledBack).toEqual([1]);
    expect(transacted).toBe(2);
    expect(handled).toHaveBeenCalledTimes(1);
  });

  test('gives way to what another attempt settled between the two', async () => {
    for (const how of [{ kind: 'found', record }, { kind: 'busy' }] as const)
      expect((await settle([works, ends(how)], failing)).ended).toEqual(how);
  });

  test('whose own transaction cannot be had is released, not guessed', async () => {
    for (const error of [gone, sqlError('28P01'), sqlError('42501')])
      expect((await settle([works, failsAtOnce(error)], failing)).ended).toEqual({
        kind: 'unavailable',
        error,
        ran: true,
      });
  });

  test('is settled though it came in the last run that is allowed', async () => {
    let runs = 0;
    const { ended, transacted } = await settle([works], () => (++runs < 3 ? fails(deadlock)() : failing()));
    expect(ended).toEqual({ kind: 'settled', outcome: poor });
    expect(transacted).toBe(4);
  });
});

test('an error of the handler settles nothing and is handed back as it was thrown', async () => {
  for (const error of [new Error('no'), gone, sqlError('23505'), sqlError('53300'), sqlError('42P01')]) {
    const { ended, handled } = await settle([works], fails(error));
    expect(ended).toEqual({ kind: 'error', error });
    expect(handled).toHaveBeenCalledTimes(1);
  }
});

describe('a transaction that lost against others runs again, whole, three times at most', () => {
  test.each<[string, (work: Work, tx: Tx) => Promise<Transacted>, () => Ran]>([
    ['at COMMIT', failsAtCommit(sqlError('40001')), succeeds],
    ['in a statement of the handler, as the driver threw it', works, fails(deadlock)],
    [
      'in a statement of the handler, as tRPC and an ORM wrapped it',
      works,
      fails(new Error('trpc', { cause: new Error('orm', { cause: deadlock }) })),
    ],
    ['because a pooler lost a prepared statement', failsAtCommit(sqlError('26000')), succeeds],
  ])('%s', async (_, transaction, handler) => {
    const always = await settle([transaction], handler);
    expect(always.ended).toMatchObject({ kind: 'unavailable', ran: true });
    expect(always.handled).toHaveBeenCalledTimes(3);
    expect(always.onRunAgain).toHaveBeenCalledTimes(2);

    let runs = 0;
    const twice = await settle([transaction, transaction, works], () =>
      ++runs < 3 ? handler() : succeeds(),
    );
    expect(twice.ended).toEqual({ kind: 'settled', outcome: done });
    // Each run has a transaction of its own.
    expect(twice.handled.mock.calls).toEqual([[{ run: 1 }], [{ run: 2 }], [{ run: 3 }]]);
  });
});

describe('a database that cannot take the work is unavailable, whatever the reason', () => {
  test.each<[string, unknown]>([
    ['connection gone', gone],
    ['no table', sqlError('42P01')],
    ['password changed', Object.assign(sqlError('28P01'), { severity: 'FATAL' })],
    ['no such database', Object.assign(sqlError('3D000'), { severity: 'FATAL' })],
    ['may not use the table', sqlError('42501')],
    [
      'certificate expired',
      Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    ],
    ['something nobody has heard of', new Error('?')],
  ])('before the handler ran: %s', async (_, error) => {
    const { ended, handled } = await settle([failsAtOnce(error)], succeeds);
    expect(ended).toEqual({ kind: 'unavailable', error, ran: false });
    expect(handled).not.toHaveBeenCalled();
  });

  test('after the handler ran, it says so', async () => {
    const { ended } = await settle([failsAtCommit(gone)], succeeds);
    expect(ended).toEqual({ kind: 'unavailable', error: gone, ran: true });
  });

  test('after the handler ran once and lost, for any reason', async () => {
    const error = sqlError('28P01');
    const { ended } = await settle([works, failsAtOnce(error)], fails(deadlock));
    expect(ended).toEqual({ kind: 'unavailable', error, ran: true });
  });
});

test('an error at the end that is about the app’s own data is the call’s error', async () => {
  const deferred = sqlError('23503');
  expect((await settle([failsAtCommit(deferred)], succeeds)).ended).toEqual({
    kind: 'error',
    error: deferred,
  });
});

test.each(['57014', '55P03'])(
  'a limit of the session (%s) that the record’s insert met is our side’s; met by the handler’s statement it is the call’s',
  async (state) => {
    const error = sqlError(state);
    expect((await settle([failsAtCommit(error)], succeeds)).ended).toEqual({
      kind: 'unavailable',
      error,
      ran: true,
    });
    expect((await settle([works], fails(error))).ended).toEqual({ kind: 'error', error });
  },
);

test('a handler that ended its transaction is told apart from a call that was refused before it ran', async () => {
  const error = new TransactionMisuseError('no');
  expect((await settle([failsAtCommit(error)], succeeds)).ended).toEqual({ kind: 'misused', error });
  expect((await settle([failsAtOnce(error)], succeeds)).ended).toEqual({ kind: 'error', error });
});

test('a COMMIT without an answer is never run again', async () => {
  const error = new CommitUnknownError(gone);
  const { ended, handled } = await settle([failsAtCommit(error)], succeeds);
  expect(ended).toEqual({ kind: 'commit-unknown', error });
  expect(handled).toHaveBeenCalledTimes(1);
});

describe('fenced', () => {
  test('the record that was there first is the outcome', async () => {
    const { ended, handled, onFenced } = await settle([fenced], succeeds, record);
    expect(ended).toEqual({ kind: 'found', record });
    expect(handled).toHaveBeenCalledTimes(1);
    expect(onFenced).toHaveBeenCalledTimes(1);
  });

  test('and the record swept since, it looks again', async () => {
    const { ended } = await settle([fenced, ends({ kind: 'found', record })], succeeds);
    expect(ended).toEqual({ kind: 'found', record });
  });

  test('by a record that keeps vanishing, it gives up after three runs', async () => {
    const { ended, handled } = await settle([fenced], succeeds);
    expect(ended).toMatchObject({ kind: 'unavailable', ran: true });
    expect(handled).toHaveBeenCalledTimes(3);
  });

  test('and the record out of reach, it has to be found out: something settled, so nothing is released', async () => {
    expect((await settle([fenced], succeeds, gone)).ended).toEqual({ kind: 'fenced', error: gone });
  });
});
