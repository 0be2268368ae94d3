import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manifest } from '@trpc-once/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bank as contract, effects, type OpenBank, oneEuro, openBank } from '../bank/index.js';
import { type Origin, openPage, serveClient } from '../conformance/open-page.js';
import { noBrowser, openBrowser } from './browser.js';

// A browser and two stores on a busy machine: seconds become many.
vi.setConfig({ testTimeout: 120_000 });

/** What docs/server.md has a server of another origin allow and expose. */
const documented = readFileSync(new URL('../../docs/server.md', import.meta.url), 'utf8');
const [, allowed = '', exposed = ''] =
  /CORS has to allow the\s+headers\s+`([^`]+)`, and to expose\s+`([^`]+)`/.exec(documented) ?? [];

/** The bank as pages of other origins see it. */
async function throughCors(bank: OpenBank, allow: string) {
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', allow);
    response.setHeader('access-control-expose-headers', exposed);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const body = await new Response(request as never).text();
    const answer = await fetch(`${bank.url}${request.url}`, {
      method: 'POST',
      headers: request.headers as Record<string, string>,
      body,
    });
    for (const name of exposed.split(', ')) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe.skipIf(noBrowser)(`a page of another origin${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: Browser;
  let bank: OpenBank;
  let origin: Origin;

  beforeAll(async () => {
    [browser, bank, origin] = await Promise.all([openBrowser(), openBank({ claims: 'none' }), serveClient()]);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await bank?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
  });

  /** What one transfer from a page comes to, and the headers of its answer that the page could read. */
  async function transfer(allow: string) {
    await using cors = await throughCors(bank, allow);
    const context = await browser.newContext();
    const page: Page = await openPage(context, origin);
    const told = await page.evaluate(
      async ([url, shared, input]) => {
        const { createIdempotentClient, memoryStorage } = (window as any).client;
        const seen: (string | null)[] = [];
        const client = createIdempotentClient({
          ...{ url, contract: shared, owner: () => 'ann', storage: memoryStorage() },
          headers: { authorization: 'Bearer ann' },
          retry: { maxAttempts: 1 },
          fetch: async (...given: [string, RequestInit]) => {
            const answer = await fetch(...given);
            seen.push(answer.headers.get('Idempotency-Status'));
            return answer;
          },
        });
        const outcome = await client.transfer.mutate(input).then(
          () => 'settled',
          (error: Error) => error.name,
        );
        await client.outbox.close();
        return { outcome, seen };
      },
      [cors.url, manifest(contract) as object, oneEuro] as const,
    );
    await context.close();
    return told;
  }

  test('the headers that docs/server.md names let an idempotent call through, and its answer’s be read', async () => {
    const before = await effects(bank.db);
    expect(await transfer(allowed)).toEqual({ outcome: 'settled', seen: ['settled'] });
    expect(await effects(bank.db)).toBe(before + 1);
  });

  test('without any one of them nothing leaves the browser, and the outcome is not known', async () => {
    const before = await effects(bank.db);
    const names = allowed.split(', ');
    expect(names).toHaveLength(4);
    for (const missing of names)
      expect(await transfer(names.filter((name) => name !== missing).join(', '))).toEqual({
        outcome: 'OutcomeUnknownError',
        seen: [],
      });
    expect(await effects(bank.db)).toBe(before);
  });
});
