import { delay } from '../../timing/delay.js';
import type { Database } from '../database.js';
import { serverError } from '../sql-state.js';
import type { Row, Statement } from '../statement.js';
import { migrations } from './migrations.js';

/** All instances migrate at start; this number makes them take turns. Chosen at random, once. */
const TURN = '6125438870142095361';

/**
 * How long a migration may take, in milliseconds: an index over a table of some hundred million rows. It is told to
 * Postgres too, so that one that was given up does not go on keeping everybody out.
 */
const LONGEST_MS = 600_000;

/**
 * How long a statement waits for the table before it steps aside, in milliseconds, at first and at most. All calls wait
 * behind it meanwhile, so that even the longest has to be well below what a call waits for its answer (10 s).
 */
const patience = { firstMs: 1_000, mostMs: 4_000 };

/**
 * Runs the migrations that this database has not seen, all in one transaction.
 *
 * A call that is inside when a new version starts has the table in hand until its handler is done. Who waits for it to the
 * end keeps every call that comes after it waiting too, so this one gives way and comes again.
 *
 * @throws Error when the table was not to be had, or a statement not done, within ten minutes: nothing was changed.
 */
export async function migrate(database: Database<unknown>, table: string, log: string): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  for (let waitMs = patience.firstMs; ; waitMs = Math.min(2 * waitMs, patience.mostMs)) {
    try {
      return await migrateOnce(database, { table, log, waitMs });
    } catch (error) {
      const state = serverError(error)?.state;
      if (state === '57014') throw gaveUp(table, 'is too large to be changed in that time', error);
      if (state !== '55P03') throw error;
      if (performance.now() > until) throw gaveUp(table, 'was in use all the time', error);
      // As long again as it kept others waiting, and not in step with other instances.
      await delay(waitMs * (0.5 + Math.random()));
    }
  }
}

interface Turn {
  readonly table: string;
  readonly log: string;
  readonly waitMs: number;
}

async function migrateOnce(database: Database<unknown>, { table, log, waitMs }: Turn): Promise<void> {
  await database.transaction(async (session) => {
    const run = (text: string, ...values: unknown[]): Promise<Row[]> => session.query(once(text, values));
    await run(
      `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`,
      `${waitMs}`,
      `${LONGEST_MS}`,
    );
    await run('SELECT pg_advisory_xact_lock($1::bigint)', TURN);
    await run(`CREATE TABLE IF NOT EXISTS ${log} (number int PRIMARY KEY, title text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now())`);
    const applied = new Set((await run(`SELECT number FROM ${log}`)).map((row) => Number(row['number'])));
    for (const migration of migrations) {
      if (applied.has(migration.number)) continue;
      for (const statement of migration.statements(table)) await run(statement);
      await run(`INSERT INTO ${log} (number, title) VALUES ($1, $2)`, migration.number, migration.title);
    }
  });
}

function gaveUp(table: string, why: string, cause: unknown): Error {
  return new Error(
    `${table} could not be migrated within ${LONGEST_MS / 60_000} minutes, and is unchanged: it ${why}. Migrate while fewer calls are inside, or build its indexes CONCURRENTLY first (docs/schema.sql has their names)`,
    { cause },
  );
}

/** Unnamed: these run once, and must not stay prepared while the tables under them change. */
function once(text: string, values: unknown[]): Statement {
  // Postgres ends it before we do.
  return { name: '', text, values, limitMs: LONGEST_MS + 10_000 };
}
