import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { spawnProgram } from '../resources/index.js';

const json = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

// @trpc/tanstack-react-query names one version of its peers; a range that leaves that one out cannot be installed beside it.
test('the oldest tRPC that the packages name runs all of an app: server, client and the integration of that version', async () => {
  const { dependencies } = json('../package.json');
  const oldest = dependencies['@trpc/tanstack-react-query'];
  for (const name of ['contract', 'server', 'client'])
    for (const [peer, range] of Object.entries(json(`../../packages/${name}/package.json`).peerDependencies))
      if (peer.startsWith('@trpc/')) expect(range, `${name}: ${peer}`).toBe(`>=${oldest} <12`);
  for (const part of ['server', 'client'])
    expect(dependencies[`oldest-trpc-${part}`]).toBe(`npm:@trpc/${part}@${oldest}`);

  await using app = await spawnProgram(new URL('./oldest-trpc-program.ts', import.meta.url));
  // Everything is compiled on the way, which takes a busy machine half a minute.
  const { server, ...said } = await app.hear<{ server: string }>('done', 120_000);
  expect(server).toContain(oldest);
  expect(said).toEqual({
    sold: 1,
    gone: [true, 'settled', true],
    touched: true,
    count: 1,
    raw: [
      [200, 'settled'],
      [200, 'replayed'],
      [422, null],
    ],
  });
  expect((await app.exited).code).toBe(0);
}, 150_000);
