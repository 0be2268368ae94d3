import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { createOnce, type OnEvent } from '@trpc-once/server';
import type { EnvironmentStores } from '@trpc-once/server/embedded';
import { createTables } from '../database/schema.sql.js';
import { offerProduct, someProducts } from '../database/seed.js';
import { shopRouter } from './shop-router.js';
import { signIn } from './sign-in.js';

export interface ShopOptions {
  /** Where it keeps everything; whoever opened them closes them. */
  readonly stores: Pick<EnvironmentStores, 'records' | 'claims' | 'db'>;
  /** @default 0: any free port */
  readonly port?: number;
  readonly onEvent?: OnEvent;
  /** Answers what is not under `/trpc/`. @default none: tRPC answers everything, at the root */
  readonly page?: RequestListener;
}

/** One instance of the shop, answering on loopback. */
export interface Shop extends AsyncDisposable {
  readonly url: string;
  /** Lets the calls inside finish, then stops. */
  close(): Promise<void>;
}

const TRPC = '/trpc/';

/** Prepares the database, where that was not done, and serves the shop. Any number of instances may share the stores. */
export async function startShop({ stores, port = 0, onEvent, page }: ShopOptions): Promise<Shop> {
  const { records, claims, db } = stores;
  const once = createOnce({
    records,
    claims,
    scope: (ctx: { readonly accountId: string | null }) => ctx.accountId,
    ...(onEvent && { onEvent }),
  });
  await once.migrate();
  await createTables(db);
  for (const product of someProducts) await offerProduct(db, product);

  const api = createHTTPHandler({
    basePath: page ? TRPC : '/',
    router: shopRouter(once, db),
    createContext: once.context(signIn),
    responseMeta: once.responseMeta,
    maxBodySize: 100_000,
    maxBatchSize: 20,
  });
  const server = createServer((request, response) =>
    page && !request.url?.startsWith(TRPC) ? page(request, response) : api(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  once.sweeper.start();

  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeIdleConnections();
    await once.close();
    server.closeAllConnections();
    await closed;
  };
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${taken}`, close, [Symbol.asyncDispose]: close };
}
