import type { AddressInfo } from 'node:net';
import { awsLambdaRequestHandler } from '@trpc/server/adapters/aws-lambda';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import type { Once } from '@trpc-once/server';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import express from 'express';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { type BankContext, bankRouter } from '../bank/bank-router.js';
import type { Sql } from '../bank/bank-tables.js';
import { effects, type OpenBank, oneEuro, openBank, send } from '../bank/index.js';

/** What came back, whatever carried it. */
interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null | undefined;
}

/** Serves a bank and lets one send transfers to it; `key` of null sends none. */
interface Served extends AsyncDisposable {
  transfer(key: string | null, input?: object): Promise<Answer>;
}

type Router = ReturnType<typeof bankRouter>;
type OnError = (told: { readonly error: Error }) => void;
type Serve = (once: Once<BankContext, Sql>, router: Router, onError: OnError) => Promise<Served>;

const context = (): BankContext => ({ user: 'ann' });

function overHttp(port: number, close: () => Promise<unknown>, prefix = ''): Served {
  return {
    async transfer(key, input = oneEuro) {
      const sent = await send(`http://127.0.0.1:${port}${prefix}`, 'transfer', input, { key });
      return { status: sent.status, text: sent.text, header: (name) => sent.headers.get(name) };
    },
    async [Symbol.asyncDispose]() {
      await close();
    },
  };
}

const adapters: Record<string, Serve> = {
  async standalone(once, router, onError) {
    const server = createHTTPServer({
      router,
      createContext: once.context(context),
      responseMeta: once.responseMeta,
      onError,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return overHttp((server.address() as AddressInfo).port, async () => {
      server.closeAllConnections();
      server.close();
    });
  },

  async express(once, router, onError) {
    const app = express();
    app.use(
      '/trpc',
      createExpressMiddleware({
        router,
        createContext: once.context(context),
        responseMeta: once.responseMeta,
        onError,
      }),
    );
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return overHttp(
      (server.address() as AddressInfo).port,
      async () => {
        server.closeAllConnections();
        server.close();
      },
      '/trpc',
    );
  },

  async fastify(once, router, onError) {
    const app = fastify();
    await app.register(fastifyTRPCPlugin, {
      prefix: '/trpc',
      trpcOptions: { router, createContext: once.context(context), responseMeta: once.responseMeta, onError },
    } satisfies FastifyTRPCPluginOptions<Router>);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return overHttp((app.server.address() as AddressInfo).port, () => app.close(), '/trpc');
  },

  /** Next.js, Hono, Bun, Deno and edge workers all hand over a fetch Request. */
  async fetch(once, router, onError) {
    return {
      async transfer(key, input = oneEuro) {
        const response = await fetchRequestHandler({
          endpoint: '/trpc',
          req: new Request('http://shop.example/trpc/transfer', {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
            body: JSON.stringify(input),
          }),
          router,
          createContext: once.context(context),
          responseMeta: once.responseMeta,
          onError,
        });
        return {
          status: response.status,
          text: await response.text(),
          header: (name) => response.headers.get(name),
        };
      },
      async [Symbol.asyncDispose]() {},
    };
  },

  'aws-lambda, payload v1': (once, router, onError) =>
    lambda({ once, router, onError }, (key, input) => ({
      httpMethod: 'POST',
      path: '/transfer',
      headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
      multiValueHeaders: {
        'Content-Type': ['application/json'],
        ...(key && { 'Idempotency-Key': [key] }),
      },
      body: JSON.stringify(input),
      isBase64Encoded: false,
      pathParameters: null,
      queryStringParameters: null,
      requestContext: { domainName: 'shop.example' },
      resource: '',
    })),

  'aws-lambda, payload v2': (once, router, onError) =>
    lambda({ once, router, onError }, (key, input) => ({
      version: '2.0',
      rawPath: '/transfer',
      rawQueryString: '',
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify(input),
      isBase64Encoded: false,
      requestContext: { domainName: 'shop.example', http: { method: 'POST', path: '/transfer' } },
      routeKey: '$default',
    })),
};

async function lambda(
  { once, router, onError }: { once: Once<BankContext, Sql>; router: Router; onError: OnError },
  event: (key: string | null, input: object) => object,
): Promise<Served> {
  const handler = awsLambdaRequestHandler<Router, APIGatewayProxyEvent | APIGatewayProxyEventV2>({
    router,
    createContext: once.context(context),
    responseMeta: once.responseMeta,
    onError,
  });
  return {
    async transfer(key, input = oneEuro) {
      const result = (await handler(event(key, input) as never, {} as never)) as {
        statusCode: number;
        body: string;
        headers: Record<string, string>;
      };
      return { status: result.statusCode, text: result.body, header: (name) => result.headers[name] };
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function serveWith(bank: OpenBank, serve: Serve, onError: OnError): Promise<Served> {
  const once = bank.bank.once as Once<BankContext, Sql>;
  return serve(once, bankRouter(once, bank.db as Sql, {}), onError);
}

for (const [name, serve] of Object.entries(adapters))
  test(`${name}: the key arrives, the headers leave, and a repeated request takes effect once`, async () => {
    await using bank = await openBank();
    const heard: Error[] = [];
    await using served = await serveWith(bank, serve, ({ error }) => heard.push(error));
    const missing = await served.transfer(null);
    expect(missing.status).toBe(400);
    expect(missing.text).toContain('KEY_MISSING');

    const first = await served.transfer('k1');
    expect(first.status, first.text).toBe(200);
    expect(first.header('idempotency-status')).toBe('settled');
    const second = await served.transfer('"k1"');
    expect(second.text).toBe(first.text);
    expect(second.header('idempotency-status')).toBe('replayed');
    expect(second.header('idempotency-replayed')).toBe('true');
    expect(await effects(bank.db)).toBe(1);

    heard.length = 0;
    const tooMuch = { ...oneEuro, cents: 1_000_000_000 };
    for (let n = 0; n < 2; n++) expect((await served.transfer('k2', tooMuch)).status).toBe(409);
    const [ran, replayed] = heard;
    expect(ran?.cause, 'onError finds what the handler threw').toMatchObject({
      code: 'CONFLICT',
      stack: expect.stringContaining('bank-router'),
    });
    expect(replayed).toHaveProperty('message', ran?.message);
    expect(replayed?.cause).toBeUndefined();
    expect(await effects(bank.db)).toBe(1);
  });
