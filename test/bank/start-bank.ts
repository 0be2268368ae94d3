import type { AddressInfo } from 'node:net';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createOnce, type Once, type OnceEvent, type OnceOptions } from '@trpc-once/server';
import { type BankContext, type BankHooks, bankRouter } from './bank-router.js';
import type { Sql } from './bank-tables.js';

export interface BankOptions extends Pick<OnceOptions<BankContext, Sql>, 'records' | 'claims' | 'faults'> {
  /** The business database, for queries outside transactions. */
  readonly db: Sql;
  readonly hooks?: BankHooks;
  readonly once?: Partial<OnceOptions<BankContext, Sql>>;
}

/** One server instance of the bank, in this process. */
export interface Bank extends AsyncDisposable {
  readonly url: string;
  readonly once: Once<BankContext, Sql>;
  /** What was told to `onEvent`, oldest first. */
  readonly events: OnceEvent[];
  /** Hooks may be changed while it runs. */
  readonly hooks: BankHooks;
}

export async function startBank({
  db,
  records,
  claims,
  faults,
  hooks = {},
  once: more,
}: BankOptions): Promise<Bank> {
  const events: OnceEvent[] = [];
  const once = createOnce<BankContext, Sql>({
    records,
    ...(claims && { claims }),
    ...(faults && { faults }),
    scope: (ctx) => ctx.user,
    onEvent: (event) => events.push(event),
    ...more,
  });
  const server = createHTTPServer({
    router: bankRouter(once, db, hooks),
    createContext: once.context(
      ({ req }: { req: { headers: Record<string, string | string[] | undefined> } }) => ({
        user: (req.headers['x-user'] as string | undefined) ?? 'ann',
      }),
    ),
    responseMeta: once.responseMeta,
    maxBatchSize: 3,
    maxBodySize: 200_000,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    once,
    events,
    hooks,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await once.close();
    },
  };
}
