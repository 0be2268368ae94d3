/**
 * One step of the schema. Append-only: a step that has been released is never edited, because databases out there have
 * run it. `docs/schema.sql` shows what all of them together make.
 */
export interface Migration {
  readonly number: number;
  readonly title: string;
  /** One statement each: drivers that bind parameters take no more at a time. */
  statements(table: string): readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    number: 1,
    title: 'records',
    // Key before scope in the primary key: keys are UUIDv7, so that rows of one hour share pages and an insert touches
    // few of them; scope first would scatter them (measured: 230 B of WAL per call against up to 5,700).
    // Text bodies, not jsonb, which reorders keys, refuses \u0000 and is slower.
    // BRIN costs nothing per insert; a btree on expires_at would cost 67 B of WAL.
    statements: (table) => [
      `CREATE TABLE ${table} (
        key text COLLATE "C" NOT NULL,
        scope text COLLATE "C" NOT NULL,
        procedure text NOT NULL,
        fingerprint text NOT NULL,
        status text NOT NULL CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'FAILED', 'INDETERMINATE')),
        response_code text,
        response_headers text,
        response_body text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (key, scope)
      )`,
      `CREATE INDEX ON ${table} USING brin (expires_at) WITH (autosummarize = on)`,
    ],
  },
  {
    number: 2,
    title: 'lz4 bodies, where this Postgres has it',
    statements: (table) => [
      `DO $do$ BEGIN
        ALTER TABLE ${table} ALTER COLUMN response_body SET COMPRESSION lz4;
      EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN
        NULL; -- built without lz4: pglz is only a fifth larger
      END $do$`,
    ],
  },
  {
    number: 3,
    title: 'what the sweeper looks for',
    // BRIN forgets nothing: once rows have expired anywhere in a range, every look reads that range for ever, and after
    // some days that is the whole table. docs/decisions/0010 has the figures. Both indexes leave out what is not theirs,
    // so that the second costs a call nothing. Where the table is large, build them CONCURRENTLY under these names first.
    statements: (table) => [
      `ALTER TABLE ${table} ADD COLUMN effects_began_at timestamptz`,
      `CREATE INDEX IF NOT EXISTS idempotency_records_expiry ON ${table} (expires_at)
        WHERE status IN ('COMPLETED', 'FAILED')`,
      `CREATE INDEX IF NOT EXISTS idempotency_records_in_progress ON ${table} (updated_at)
        WHERE status = 'IN_PROGRESS'`,
      `DROP INDEX IF EXISTS ${table}_expires_at_idx`,
    ],
  },
];
