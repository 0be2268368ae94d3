import { requireKnown } from '../options/require-known.js';
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
import { RunTimeoutError } from './run-timeout-error.js';
import { abortedEarlier, endedByHandler, isElsewhere, isFence } from './settle-faults.js';
import { type Held, recordStatements } from './sql/statements.js';
import { sqlFault } from './sql-state.js';
import { StandbyError } from './standby-error.js';
import type { Row } from './statement.js';
import { sweeping } from './sweeping.js';

export interface RecordsOptions {
  /**
   * The schema that holds `idempotency_records`, where it should not be found through the search path.
   * @default the search path decides
   */
  readonly schema?: string;
}

/** Every one of {@link RecordsOptions}. */
export const recordsOptions = { schema: true } satisfies Record<keyof RecordsOptions, true>;

/** The operation is held, and nobody has looked for its record yet. */
interface Unseen {
  readonly kind: 'unseen';
}

/** Nobody else holds the operation, it has no record, and the transaction is ready for it. */
interface Free extends Held {
  readonly kind: 'free';
}

type TurnedAway = Exclude<Probe, { kind: 'absent' }> | Unseen;

/**
 * Records in Postgres, over any {@link Database}: see `postgresRecords(pool)` and `pgliteRecords(db)` for the ready-made
 * ones, `executorDatabase` for an ORM.
 *
 * @throws TypeError when an option is unknown, or `schema` cannot be the name of one.
 */
export function recordsIn<TTransaction>(
  database: Database<TTransaction>,
  options: RecordsOptions = {},
): RecordStore<TTransaction> {
  requireKnown('recordsIn', options, recordsOptions);
  const { schema } = options;
  const qualified = (name: string): string => (schema === undefined ? name : `${quoted(schema)}.${name}`);
  const table = qualified('idempotency_records');
  const sql = recordStatements(table);

  /**
   * Under SERIALIZABLE a look-up inside the transaction conflicts with every insert on the page it looked at, or in the
   * whole of a small table: of 50 unrelated operations at once three in four failed. There the record is looked for in
   * front of the transaction, which leaves a moment for another attempt to settle in, and for the fence to do its work.
   */
  let looksFirst = false;

  async function open(
    session: Session<TTransaction>,
    { id, runTimeoutMs }: RecordDraft,
    looked: boolean,
  ): Promise<TurnedAway | Free> {
    // Two statements, so that the look-up sees what committed before the hold was granted; sent together.
    const [[hold], [row]] = await Promise.all([
      session.query(sql.hold(id, runTimeoutMs)),
      session.query(sql.findHeld(id)),
    ]);
    if (row) return { kind: 'found', record: readRow(row) };
    const { held, serializable, relation, began } = hold ?? {};
    mustBePrimary(hold);
    if (held !== true) return { kind: 'busy' };
    if (serializable === true && !looked) return { kind: 'unseen' };
    return { kind: 'free', relation: String(relation), began: String(began) };
  }

  async function read(id: OperationId): Promise<StoredRecord | undefined> {
    const [row] = await database.query(sql.find(id));
    if (row && row['status'] !== null) return readRow(row);
    mustBePrimary(row);
    return undefined;
  }

  async function transact(
    draft: RecordDraft,
    work: (tx: TTransaction) => Promise<Outcome>,
  ): Promise<Transacted> {
    const looked = looksFirst;
    const record = looked ? await read(draft.id) : undefined;
    if (record) return { kind: 'found', record };
    let settling: Session<TTransaction> | undefined;
    let turnedAway: TurnedAway | undefined;
    try {
      const ended = await database.transaction<Transacted | Unseen>(async (session) => {
        const opened = await open(session, draft, looked);
        if (opened.kind !== 'free') {
          turnedAway = opened;
          return opened;
        }
        const outcome = await inIts(session, opened, () => orFirstFault(session, () => work(session.tx)));
        session.last(sql.insert(draft, outcome, opened));
        settling = session;
        return { kind: 'settled', outcome };
      });
      if (ended.kind !== 'unseen') return ended;
    } catch (error) {
      if (settling && isFence(error)) return { kind: 'fenced' };
      if (settling && isElsewhere(error)) throw endedByHandler(error);
      // Where nothing was written it does not matter what became of the COMMIT.
      if (!turnedAway || !(error instanceof CommitUnknownError))
        throw (settling && abortedEarlier(settling, error)) ?? error;
      if (turnedAway.kind !== 'unseen') return turnedAway;
    }
    looksFirst = true;
    return transact(draft, work);
  }

  /** An ORM lets a handler end the transaction; then its error is not all that is left of it. */
  async function inIts<T>(
    session: Session<TTransaction>,
    { began }: Held,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (session.mayEnd && !(error instanceof RunTimeoutError)) {
        // One that has failed answers nothing, but it is there.
        const [row] = await session.query(sql.began()).catch(unlessLost);
        if (row && row['began'] !== began) throw endedByHandler(error);
      }
      throw error;
    }
  }

  return {
    space: schema ?? '',
    transact,
    read,
    async probe(id) {
      // Two transactions: a snapshot taken before the hold was granted, as REPEATABLE READ takes it, may be too old.
      const hold = await database.transaction(async (session) => {
        const [row] = await session.query(sql.hold(id));
        mustBePrimary(row);
        return row;
      });
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

/** @throws StandbyError where a record that is missing proves nothing. */
function mustBePrimary(row: Row | undefined): void {
  if (row?.['standby'] !== false) throw new StandbyError();
}

/** A transaction that was lost had let go of the operation: another attempt may have settled it, and no error may be told. */
function unlessLost(error: unknown): Row[] {
  if (sqlFault(error) === 'unavailable') throw error;
  return [];
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
