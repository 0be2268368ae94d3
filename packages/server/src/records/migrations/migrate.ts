import type { Database } from '../database.js';
import type { Row, Statement } from '../statement.js';
import { migrations } from './migrations.js';

/** All instances migrate at start; this number makes them take turns. Chosen at random, once. */
const TURN = '6125438870142095361';

/** Runs the migrations that this database has not seen, each with its mark in one transaction. */
export async function migrate(database: Database<unknown>, table: string, log: string): Promise<void> {
  await database.transaction(async (session) => {
    const run = (text: string, ...values: unknown[]): Promise<Row[]> => session.query(once(text, values));
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

/** Unnamed: these run once, and must not stay prepared while the tables under them change. */
function once(text: string, values: unknown[]): Statement {
  return { name: '', text, values };
}
