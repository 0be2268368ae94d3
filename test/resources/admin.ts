import { Client } from 'pg';

/** Runs something over one connection of its own to the server's maintenance database. */
export async function asAdmin<T>(serverUrl: string, run: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: serverUrl, application_name: 'trpc-once test resources' });
  await admin.connect();
  try {
    return await run(admin);
  } finally {
    await admin.end();
  }
}

/** The same server, another database. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
