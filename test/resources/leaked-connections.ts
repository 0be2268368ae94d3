import { until } from '@trpc-once/local-services';
import type { Client, Pool } from 'pg';

/** Long enough for work that a lost client left behind to finish; a leak stays for ever. */
const GRACE_MS = 3_000;

/**
 * Waits until every client that the pool lent has come back.
 * @throws Error when one does not: some code took it and never released it.
 */
export async function awaitReturnedClients(pool: Pool): Promise<void> {
  const lent = () => pool.totalCount - pool.idleCount;
  try {
    await until(() => lent() === 0 && pool.waitingCount === 0, { withinMs: GRACE_MS });
  } catch {
    throw new Error(
      `a pool's client leaked: ${lent()} taken and not released, ${pool.waitingCount} waited for`,
    );
  }
}

/**
 * Waits until nobody is connected to the database.
 * @throws Error that tells what each of those who still are did last.
 */
export async function awaitVacated(admin: Client, database: string): Promise<void> {
  const connected = async (): Promise<string[]> => {
    const { rows } = await admin.query<{ what: string }>(
      `select format('%s, %s since %s: %s', coalesce(nullif(application_name, ''), 'unnamed'), state,
                     to_char(state_change, 'HH24:MI:SS.MS'), left(query, 200)) as what
       from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
      [database],
    );
    return rows.map((row) => row.what);
  };
  try {
    await until(async () => (await connected()).length === 0, { withinMs: GRACE_MS });
  } catch {
    throw new Error(`connections to ${database} leaked:\n${(await connected()).join('\n')}`);
  }
}
