import { fileURLToPath } from 'node:url';
import { postgresRecords } from '@trpc-once/server';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { freshDatabase } from '../resources/index.js';

/** The schema as Postgres itself would say it, tables and their indexes by name. */
async function dump(pool: Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string; columns: string; constraints: string }>(
    `SELECT relname AS name,
       (SELECT string_agg(format('  %I %s%s%s%s', attname, format_type(atttypid, atttypmod),
            CASE WHEN attcollation <> typcollation THEN ' COLLATE "C"' ELSE '' END,
            CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END,
            CASE WHEN adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(adbin, adrelid) ELSE '' END), E',\\n' ORDER BY attnum)
          FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
       (SELECT string_agg(format(E',\\n  CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)), '' ORDER BY contype, conname)
          FROM pg_constraint WHERE conrelid = pg_class.oid AND contype <> 'n') AS constraints
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname DESC`,
  );
  const { rows: indexes } = await pool.query<{ definition: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary ORDER BY relname`,
  );
  return [
    '-- What the migrations make, all of them together. A test writes this file: run it with -u after adding one.',
    ...tables.map(({ name, columns, constraints }) => `CREATE TABLE ${name} (\n${columns}${constraints}\n);`),
    ...indexes.map(({ definition }) => `${definition.replaceAll('public.', '')};`),
    '',
  ].join('\n\n');
}

test('docs/schema.sql is what the migrations make', async () => {
  await using database = await freshDatabase();
  const pool = database.pool();
  await postgresRecords(pool).migrate();
  const file = fileURLToPath(new URL('../../docs/schema.sql', import.meta.url));
  await expect(await dump(pool)).toMatchFileSnapshot(file);
});
