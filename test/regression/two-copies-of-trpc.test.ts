import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineContract, procedure } from '@trpc-once/contract';
import { createOnce, postgresRecords } from '@trpc-once/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Disposal } from '../bank/disposal.js';
import { freshDatabase } from '../resources/index.js';

type Trpc = typeof import('@trpc/server');
type Standalone = typeof import('@trpc/server/adapters/standalone');

const errors = { TAKEN: { code: 'CONFLICT', data: z.object({ room: z.string() }) } } as const;
const hotel = defineContract({
  reserve: procedure.input(z.string()).output(z.string()).errors(errors).idempotent().mutation(),
});

// A peer dependency in two versions is enough for a package manager to install @trpc/server twice.
test('an app with a copy of @trpc/server of its own answers errors with all their facts', async () => {
  await using stack = new Disposal();
  const directory = mkdtempSync(join(tmpdir(), 'second-trpc-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const first = fileURLToPath(import.meta.resolve('@trpc/server'));
  cpSync(join(realpathSync(first), '..'), join(directory, 'dist'), { recursive: true });
  const load = (path: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(directory, 'dist', path)).href) as Promise<unknown>;
  const { initTRPC, TRPCError } = (await load('index.mjs')) as Trpc;
  const { createHTTPServer } = (await load('adapters/standalone.mjs')) as Standalone;
  expect(initTRPC).not.toBe((await import('@trpc/server')).initTRPC);

  const database = stack.use(await freshDatabase());
  const once = createOnce({ records: postgresRecords(database.pool()), scope: () => 'ann' });
  await once.migrate();
  const t = initTRPC.create();
  const taken = (room: string, declared: { TAKEN(data: { room: string }): Error }): string => {
    if (room === 'taken') throw declared.TAKEN({ room });
    if (room === 'closed') throw new TRPCError({ code: 'FORBIDDEN', message: 'closed' });
    return room;
  };
  const router = t.router({
    contracted: once.implement(
      hotel,
      { procedure: t.procedure },
      { reserve: async ({ input, errors: declared }) => taken(input, declared) },
    ),
    plain: t.procedure
      .input(z.string())
      .use(once.idempotent({ t, errors }))
      .output(z.string())
      .mutation(({ input, ctx }) => taken(input, ctx.errors)),
  });
  const server = createHTTPServer({
    router,
    createContext: once.context(() => ({})),
    responseMeta: once.responseMeta,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void server.close());
  stack.defer(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;

  for (const path of ['contracted.reserve', 'plain']) {
    const ask = async (room: string, key = `${path} ${room}`) => {
      const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `"${key}"` },
        body: JSON.stringify(room),
      });
      const { error } = (await response.json()) as { error?: { data: Record<string, unknown> } };
      return { status: response.status, data: error?.data };
    };
    const declared = { name: 'TAKEN', data: { room: 'taken' } };
    const settled = { settlement: 'settled', key: `${path} taken` };
    expect(await ask('taken')).toMatchObject({ status: 409, data: { declared, idempotency: settled } });
    expect(await ask('taken')).toMatchObject({ data: { declared, idempotency: { settlement: 'replayed' } } });
    expect(await ask('other', `${path} taken`)).toMatchObject({
      status: 422,
      data: { idempotency: { refusal: 'FINGERPRINT_MISMATCH' } },
    });
    expect(await ask('closed')).toMatchObject({
      status: 403,
      data: { idempotency: { settlement: 'settled' } },
    });
    expect(await ask('free')).toEqual({ status: 200, data: undefined });
  }
});
