import { register } from 'node:module';
import { parent } from '../resources/parent.js';

// A whole app on the oldest tRPC that the packages name as their peer. Everything that says @trpc/server or @trpc/client in
// this process, the packages and the integration among them, gets that one.
parent.tell('ready', undefined);
const hook = `export const resolve = (name, context, next) => {
  const old = name.replace(/^@trpc\\/(server|client)(?=$|\\/)/, 'oldest-trpc-$1');
  return old === name ? next(name, context) : next(old, { ...context, parentURL: ${JSON.stringify(import.meta.url)} });
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const { initTRPC } = await import('@trpc/server');
const { createHTTPServer } = await import('@trpc/server/adapters/standalone');
const { createTRPCOptionsProxy } = await import('@trpc/tanstack-react-query');
const { MutationObserver, QueryClient } = await import('@tanstack/react-query');
const { defineContract, isDeclaredError, procedure, readIdempotency } = await import('@trpc-once/contract');
const { createOnce } = await import('@trpc-once/server');
const { storesFromEnv } = await import('@trpc-once/server/embedded');
const { createIdempotentClient, memoryStorage } = await import('@trpc-once/client');
const { idempotentMutation } = await import('@trpc-once/client/react');
const { z } = await import('zod');

const shop = defineContract({
  place: procedure
    .input(z.string())
    .output(z.number())
    .errors({ SOLD_OUT: { code: 'CONFLICT', data: z.object({ sku: z.string() }) } })
    .idempotent()
    .mutation(),
  touch: procedure.idempotent().mutation(),
  count: procedure.output(z.number()).query(),
});
const stores = await storesFromEnv({});
const once = createOnce({ ...stores, scope: () => 'ann' });
await once.migrate();
let placed = 0;
const base = initTRPC
  .create()
  .procedure.errors(({ shape }) => ({ ...shape, data: { ...shape.data, own: true } }));
const router = once.implement(
  shop,
  { procedure: base },
  {
    place: async ({ input, errors }) => {
      if (input === 'gone') throw errors.SOLD_OUT({ sku: input });
      return ++placed;
    },
    touch: () => {},
    count: () => placed,
  },
);
const server = createHTTPServer({
  router,
  createContext: once.context(() => ({})),
  responseMeta: once.responseMeta,
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;

const client = createIdempotentClient({ contract: shop, url, owner: () => 'ann', storage: memoryStorage() });
const queryClient = new QueryClient();
const trpc = createTRPCOptionsProxy<typeof router>({ client: client as never, queryClient });
const mutation = {
  ...trpc.place.mutationOptions(),
  ...idempotentMutation(client.place, { intent: (sku) => sku }),
};
const observer = new MutationObserver(queryClient, mutation as never);
const place = (sku: string) => observer.mutate(sku as never).catch((error: unknown) => error);

const raw = async (body: string) => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': '"k1"' };
  const { status, headers: answered } = await fetch(`${url}/place`, { method: 'POST', headers, body });
  return [status, answered.get('idempotency-status')];
};
const sold = await place('tea');
const gone: any = await place('gone');
parent.tell('done', {
  server: import.meta.resolve('@trpc/server'),
  sold,
  gone: [isDeclaredError(gone, shop.place, 'SOLD_OUT'), readIdempotency(gone)?.settlement, gone.data.own],
  touched: (await client.touch.mutate()) === undefined,
  count: await queryClient.fetchQuery(trpc.count.queryOptions()),
  raw: [await raw('"x"'), await raw('"x"'), await raw('"y"')],
});
await client.outbox.close();
server.close();
server.closeAllConnections();
await once.close();
await stores.close();
