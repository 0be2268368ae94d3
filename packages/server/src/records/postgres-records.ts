import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';
import { CommitUnknownError } from './commit-unknown-error.js';
import type { Database, Session } from './database.js';
import { migrate } from './migrations/migrate.js';
import type {
  Probe,
  RecordDraft,
  RecordStatus,
  RecordStore,
  StoredRecord,
  Transacted,
} from './record-store.js';
import { recordStatements } from './sql/statements.js';
import { serverError, sqlFault } from './sql-state.js';
import type { Row } from './statement.js';
import { sweeping } from './sweeping.js';

export interface RecordsOptions {
  /**
   * The schema that holds `idempotency_records`, where it should not be found through the search path.
   * @default the search path decides
   */
  readonly schema?: string;
}

/** The operation is held, and nobody has looked for its record yet. */
interface Unseen {
  readonly kind: 'unseen';
}

type Opened = Probe | Unseen;

/**
 * Records in Postgres, over any {@link Database}: see `postgresRecords(pool)` and `pgliteRecords(db)` for the ready-made
 * ones, `executorDatabase` for an ORM.
 */
export function recordsIn<TTransaction>(
  database: Database<TTransaction>,
  { schema }: RecordsOptions = {},
): RecordStore<TTransaction> {
  const qualified = (name: string): string => (schema === undefined ? name : `${quoted(schema)}.${name}`);
  const table = qualified('idempotency_records');
  const sql = recordStatements(table);

  /**
   * Under SERIALIZABLE a look-up inside the transaction conflicts with every insert on the page it looked at, or in the
   * whole of a small table: of 50 unrelated operations at once three in four failed. There the record is looked for in
   * front of the transaction, which leaves a moment for another attempt to settle in, and for the fence to do its work.
   */
  let looksFirst = false;

  async function open(session: Session<TTransaction>, id: OperationId, looked: boolean): Promise<Opened> {
    // Two statements, so that the look-up sees what committed before the hold was granted; sent together.
    const [[hold], [row]] = await Promise.all([session.query(sql.hold(id)), session.query(sql.findHeld(id))]);
    if (row) return { kind: 'found', record: readRow(row) };
    if (hold?.['held'] !== true) return { kind: 'busy' };
    return { kind: hold['serializable'] === true && !looked ? 'unseen' : 'absent' };
  }

  async function read(id: OperationId): Promise<StoredRecord | undefined> {
    const [row] = await database.query(sql.find(id));
    return row && readRow(row);
  }

  async function transact(
    draft: RecordDraft,
    work: (tx: TTransaction) => Promise<Outcome>,
  ): Promise<Transacted> {
    const looked = looksFirst;
    const record = looked ? await read(draft.id) : undefined;
    if (record) return { kind: 'found', record };
    let settling: Session<TTransaction> | undefined;
    let turnedAway: Exclude<Opened, { kind: 'absent' }> | undefined;
    try {
      const ended = await database.transaction<Transacted | Unseen>(async (session) => {
        const opened = await open(session, draft.id, looked);
        if (opened.kind !== 'absent') {
          turnedAway = opened;
          return opened;
        }
        const outcome = await orFirstFault(session, () => work(session.tx));
        session.last(sql.insert(draft, outcome));
        settling = session;
        return { kind: 'settled', outcome };
      });
      if (ended.kind !== 'unseen') return ended;
    } catch (error) {
      if (settling && isFence(error)) return { kind: 'fenced' };
      // Where nothing was written it does not matter what became of the COMMIT.
      if (!turnedAway || !(error instanceof CommitUnknownError))
        throw (settling && abortedEarlier(settling, error)) ?? error;
      if (turnedAway.kind !== 'unseen') return turnedAway;
    }
    looksFirst = true;
    return transact(draft, work);
  }

  return {
    space: schema ?? '',
    transact,
    read,
    async probe(id) {
      // Two transactions: a snapshot taken before the hold was granted, as REPEATABLE READ takes it, may be too old.
      const [hold] = await database.transaction((session) => session.query(sql.hold(id)));
      const record = await read(id);
      if (record) return { kind: 'found', record };
      return { kind: hold?.['held'] === true ? 'absent' : 'busy' };
    },
    ...sweeping(database, table),
    migrate: () => migrate(database, table, qualified('idempotency_migrations')),
    close: () => database.close(),
  };
}

/**
 * A handler may catch a database error and return, or throw something of its own. Where that error was about the
 * transaction rather than the statement, it is what counts: a deadlock is never an outcome.
 */
async function orFirstFault<T>(session: Session<unknown>, work: () => Promise<T>): Promise<T> {
  const transient = (error: unknown): boolean => {
    const fault = error === undefined ? 'other' : sqlFault(error);
    return fault === 'serialization' || fault === 'unprepared' || fault === 'unavailable';
  };
  try {
    const value = await work();
    if (!transient(session.firstError())) return value;
  } catch (error) {
    if (!transient(session.firstError())) throw error;
  }
  throw session.firstError();
}

/** The record's own primary key, and no other constraint: one of the app's may be checked as late as at COMMIT. */
function isFence(error: unknown): boolean {
  const { state, table, constraint } = serverError(error) ?? {};
  return (
    state === '23505' &&
    (table === undefined ? constraint === 'idempotency_records_pkey' : table === 'idempotency_records')
  );
}

/** 25P02 says only that something failed before; what that was is worth more to whoever reads the log. */
function abortedEarlier(session: Session<unknown>, error: unknown): Error | undefined {
  if (serverError(error)?.state !== '25P02') return undefined;
  return new Error(
    'nothing was committed: the handler caught a database error and went on, but the transaction was lost with it; let it throw, or use a savepoint',
    { cause: session.firstError() ?? error },
  );
}

function readRow(row: Row): StoredRecord {
  const status = row['status'] as RecordStatus;
  const headers = row['response_headers'] as string | null;
  const rest = { body: (row['response_body'] as string | null) ?? '', ...(headers && { headers }) };
  const outcome: Outcome | undefined =
    status === 'COMPLETED'
      ? { status, ...rest }
      : status === 'FAILED'
        ? { status, code: String(row['response_code']), ...rest }
        : undefined;
  return { fingerprint: String(row['fingerprint']), status, outcome, leftMs: Number(row['left_ms']) };
}

function quoted(identifier: string): string {
  if (identifier === '' || identifier.includes('\u0000'))
    throw new TypeError('schema must be the name of a Postgres schema');
  return `"${identifier.replaceAll('"', '""')}"`;
}
