import type { SqlExecutor } from '@trpc-once/server/embedded';

/** Stands for your own migrations: what the README's handler writes to, with some tea to sell. */
export async function createTables(db: SqlExecutor): Promise<void> {
  await db.query('CREATE TABLE IF NOT EXISTS stock (sku text PRIMARY KEY, n int NOT NULL)');
  await db.query(
    'CREATE TABLE IF NOT EXISTS orders (id int GENERATED ALWAYS AS IDENTITY, buyer text NOT NULL, sku text NOT NULL)',
  );
  await db.query(`INSERT INTO stock VALUES ('tea', 100) ON CONFLICT DO NOTHING`);
}
