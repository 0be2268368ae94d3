import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { betweenTabs, type OutboxStorage, OutboxStorageError } from '@trpc-once/client';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';

/** An address that serves an empty page with the client in it, as `window.client`. */
export interface Origin extends AsyncDisposable {
  readonly url: string;
}

export async function serveClient(): Promise<Origin> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@trpc-once/client'",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    format: 'iife',
    globalName: 'client',
    conditions: ['@trpc-once/source'],
    write: false,
  });
  const page = `<!doctype html><meta charset="utf-8"><script>${outputFiles[0]!.text}</script>`;
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(page),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One tab more, with the client in it. */
export async function openPage(context: BrowserContext, { url }: Origin): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

type Kind = 'indexedDbStorage' | 'localStorageStorage';

/** The storage of a tab, used from here: what is called happens in the tab. */
export function storageOf(page: Page, kind: Kind, options: object = {}): OutboxStorage {
  const name = `${kind} ${JSON.stringify(options)}`;
  const use = async (
    method: 'entries' | 'get' | 'set' | 'swap' | 'delete' | 'close',
    ...given: unknown[]
  ) => {
    const { done, refused } = await page.evaluate(
      async ([name, kind, options, method, given]) => {
        const here = window as any;
        here[name] ??= here.client[kind](options);
        try {
          return { done: await here[name][method]?.(...given) };
        } catch (error) {
          const { storage, reason, message } = error as OutboxStorageError;
          return { refused: { storage, reason, message } };
        }
      },
      [name, kind, options, method, given] as const,
    );
    if (refused) throw new OutboxStorageError(refused.storage, refused.reason, refused.message);
    return done;
  };
  return {
    name,
    durable: true,
    coordination: betweenTabs,
    entries: () => use('entries'),
    get: (id) => use('get', id),
    set: (id, text) => use('set', id, text),
    swap: (id, former, next) => use('swap', id, former, next),
    delete: (id) => use('delete', id),
    close: () => use('close'),
  };
}
