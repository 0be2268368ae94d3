import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each file here imports one thing that it may not, and the rule that says so. */
const refused: readonly (readonly [rule: string, file: string, imports: string])[] = [
  ['server-room-outcome', 'packages/server/src/outcome/a.ts', '../records/end.js'],
  ['server-room-events', 'packages/server/src/events/a.ts', '../execution/end.js'],
  ['server-room-fingerprint', 'packages/server/src/fingerprint/a.ts', '../claims/end.js'],
  ['server-room-claims', 'packages/server/src/claims/a.ts', '../records/end.js'],
  ['server-room-records', 'packages/server/src/records/a.ts', '../claims/end.js'],
  ['server-room-records', 'packages/server/src/records/b.ts', '../execution/end.js'],
  ['server-room-execution', 'packages/server/src/execution/a.ts', '../procedure/end.js'],
  ['server-room-sweeper', 'packages/server/src/sweeper/a.ts', '../execution/end.js'],
  ['server-room-procedure', 'packages/server/src/procedure/a.ts', '../embedded/end.js'],
  ['server-room-embedded', 'packages/server/src/embedded/a.ts', '../procedure/end.js'],
  ['client-room-errors', 'packages/client/src/errors/a.ts', '../attempts/end.js'],
  ['client-room-attempts', 'packages/client/src/attempts/a.ts', '../outbox/end.js'],
  ['client-room-outbox', 'packages/client/src/outbox/a.ts', '../link/end.js'],
  ['client-room-link', 'packages/client/src/link/a.ts', '../client/end.js'],
  ['client-room-link', 'packages/client/src/link/b.ts', '../react.js'],
  ['client-room-client', 'packages/client/src/client/a.ts', '../react.js'],
  ['outbox-room-operation', 'packages/client/src/outbox/operation/a.ts', '../runs/end.js'],
  ['outbox-room-others', 'packages/client/src/outbox/others/a.ts', '../store/end.js'],
  ['outbox-room-store', 'packages/client/src/outbox/store/a.ts', '../storages/end.js'],
  ['outbox-room-hand-over', 'packages/client/src/outbox/hand-over/a.ts', '../runs/end.js'],
  ['outbox-room-runs', 'packages/client/src/outbox/runs/a.ts', '../calls/end.js'],
  ['outbox-room-calls', 'packages/client/src/outbox/calls/a.ts', '../waking/end.js'],
  ['outbox-room-waking', 'packages/client/src/outbox/waking/a.ts', '../calls/end.js'],
  ['outbox-room-coordination', 'packages/client/src/outbox/coordination/a.ts', '../storages/end.js'],
  ['contract-knows-no-side', 'packages/contract/src/a.ts', '../../server/src/claims/end.js'],
  ['contract-knows-no-side', 'packages/contract/src/b.ts', '../../client/src/link/end.js'],
  ['server-knows-no-client', 'packages/server/src/a.ts', '../../client/src/link/end.js'],
  ['client-knows-no-server', 'packages/client/src/a.ts', '../../server/src/claims/end.js'],
  ['packages-stand-alone', 'packages/server/src/b.ts', '../../../examples/shop/src/end.js'],
  ['packages-stand-alone', 'packages/client/src/b.test.ts', '../../../test/resources/end.js'],
  ['contract-by-its-front-door', 'test/a.test.ts', '../packages/contract/src/wire/end.js'],
  ['server-by-its-front-door', 'examples/shop/src/a.ts', '../../../packages/server/src/claims/end.js'],
  ['client-by-its-front-door', 'test/b.test.ts', '../packages/client/src/outbox/end.js'],
  ['only-claims-know-redis', 'packages/server/src/records/c.ts', 'ioredis'],
  ['only-claims-know-redis', 'packages/client/src/c.ts', 'ioredis'],
  ['only-records-know-postgres', 'packages/server/src/claims/b.ts', 'pg'],
  ['only-records-know-postgres', 'packages/server/src/procedure/b.ts', '@electric-sql/pglite'],
  ['only-procedure-knows-trpc-server', 'packages/server/src/execution/b.ts', '@trpc/server'],
  ['only-procedure-knows-trpc-server', 'packages/server/src/execution/c.ts', 'type @trpc/server'],
  ['contract-names-trpc-types-only', 'packages/contract/src/c.ts', '@trpc/server'],
  ['only-link-and-client-know-trpc-client', 'packages/client/src/attempts/b.ts', '@trpc/client'],
  ['only-link-and-client-know-trpc-client', 'packages/client/src/outbox/b.ts', 'type @trpc/client'],
  ['declared-dependencies-only', 'packages/contract/src/d.ts', 'ioredis'],
  ['published-code-needs-no-dev-dependency', 'packages/client/src/d.ts', 'for-tests'],
  ['nothing-of-node', 'packages/client/src/index.ts', './on-the-way.js'],
  ['no-cycles', 'packages/server/src/records/ring-a.ts', './ring-b.js'],
  ['no-cycles', 'packages/server/src/records/type-ring-a.ts', './type-ring-b.js'],
  ['resolvable', 'packages/server/src/records/d.ts', './gone.js'],
];

/** Each file here imports one thing that the design lets it import. */
const allowed: readonly (readonly [file: string, imports: string])[] = [
  ['packages/server/src/events/m.ts', '../outcome/end.js'],
  ['packages/server/src/records/m.ts', '../outcome/end.js'],
  ['packages/server/src/execution/m.ts', '../claims/end.js'],
  ['packages/server/src/procedure/m.ts', '../sweeper/end.js'],
  ['packages/server/src/embedded/m.ts', '../records/end.js'],
  ['packages/server/src/claims/m.ts', 'ioredis'],
  ['packages/server/src/records/n.ts', 'pg'],
  ['packages/server/src/procedure/n.ts', '@trpc/server'],
  ['packages/client/src/link/m.ts', '../outbox/end.js'],
  ['packages/client/src/link/n.ts', '@trpc/client'],
  ['packages/contract/src/m.ts', 'type @trpc/server'],
  ['packages/client/src/m.test.ts', 'for-tests'],
  ['packages/client/src/outbox/storages/file.ts', 'node:fs/promises'],
  ['packages/client/src/outbox/runs/m.ts', '../hand-over/end.js'],
  ['packages/client/src/outbox/storages/m.ts', '../coordination/end.js'],
];

const npmPackages = ['ioredis', 'pg', '@electric-sql/pglite', '@trpc/server', '@trpc/client', 'for-tests'];

/** Where the imports above lead. */
const ends = [
  ...['outcome', 'fingerprint', 'claims', 'records', 'execution', 'sweeper', 'procedure', 'embedded'].map(
    (room) => `packages/server/src/${room}/end.ts`,
  ),
  ...['errors', 'attempts', 'outbox', 'link', 'client'].map((room) => `packages/client/src/${room}/end.ts`),
  ...['hand-over', 'store', 'runs', 'calls', 'waking', 'coordination', 'storages'].map(
    (room) => `packages/client/src/outbox/${room}/end.ts`,
  ),
  'packages/client/src/react.ts',
  'packages/contract/src/wire/end.ts',
  'examples/shop/src/end.ts',
  'test/resources/end.ts',
];

function importing(target: string): string {
  const [, type, from] = /^(type )?(.*)$/.exec(target) ?? [];
  return type ? `import type { Any } from '${from}';` : `import '${from}';`;
}

/** A small workspace in which every import above is made. */
function files(): Record<string, string> {
  const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
  const manifest = (dependencies: readonly string[], devDependencies: readonly string[] = []) =>
    JSON.stringify({
      dependencies: versions(dependencies),
      devDependencies: versions(devDependencies),
    });
  return {
    'package.json': manifest([]),
    'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" } }',
    'packages/contract/package.json': manifest(['@trpc/server']),
    'packages/server/package.json': manifest(['ioredis', 'pg', '@electric-sql/pglite', '@trpc/server']),
    'packages/client/package.json': manifest(['@trpc/client', 'ioredis'], ['for-tests']),
    ...Object.fromEntries(
      npmPackages.flatMap((name) => [
        [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
        [`node_modules/${name}/index.js`, ''],
      ]),
    ),
    ...Object.fromEntries(ends.map((file) => [file, 'export {};'])),
    'packages/client/src/on-the-way.ts': importing('node:fs/promises'),
    // A cycle is told once, of the file it was found from.
    'packages/server/src/records/ring-b.ts': importing('./ring-a.js'),
    'packages/server/src/records/type-ring-b.ts': importing('type ./type-ring-a.js'),
    ...Object.fromEntries(refused.map(([, file, imports]) => [file, importing(imports)])),
    ...Object.fromEntries(allowed.map(([file, imports]) => [file, importing(imports)])),
  };
}

/** Rule names by the file that breaks them. */
const found = new Map<string, Set<string>>();

beforeAll(() => {
  const tree = mkdtempSync(join(tmpdir(), 'trpc-once-arrows-'));
  try {
    for (const [name, text] of Object.entries(files())) {
      mkdirSync(dirname(join(tree, name)), { recursive: true });
      writeFileSync(join(tree, name), text);
    }
    const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = [cruiser, '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json'];
    const output = execFileSync(process.execPath, [...args, 'packages', 'test', 'examples'], {
      cwd: tree,
      encoding: 'utf8',
    });
    for (const { rule, from } of JSON.parse(output).summary.violations)
      found.set(from, (found.get(from) ?? new Set()).add(rule.name));
  } finally {
    rmSync(tree, { recursive: true });
  }
});

test.each(refused)('%s refuses %s → %s', (rule, file) => {
  expect([...(found.get(file) ?? [])]).toContain(rule);
});

test.each(allowed)('%s → %s is allowed', (file) => {
  expect(found.get(file)).toBeUndefined();
});

test('every rule is shown to bite', () => {
  const config = execFileSync(
    process.execPath,
    ['-p', `JSON.stringify(require('./.dependency-cruiser.cjs').forbidden.map((rule) => rule.name))`],
    { cwd: root, encoding: 'utf8' },
  );
  const shown = new Set(refused.map(([rule]) => rule));
  expect((JSON.parse(config) as string[]).filter((name) => !shown.has(name))).toEqual([]);
});
