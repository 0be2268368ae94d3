/** `npm test`: every test there is, or those that the arguments name, as vitest takes them. */
import { requireNode } from './require-node.mjs';

requireNode();
const { existsSync, mkdtempSync, readFileSync, rmSync } = await import('node:fs');
const { tmpdir } = await import('node:os');
const { join } = await import('node:path');
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

await install();

if (process.argv.length === 2) console.log('All tests: this takes about ten minutes on two cores.');

if (!process.env.REDIS_URL) {
  const code = await run(process.execPath, [
    ...fromSource,
    'examples/local-services/src/redis/ensure-redis.ts',
  ]);
  if (code !== 0) process.exit(code);
}

// Without PgBouncer or a browser, the tests that need them say in their names why they are skipped.
for (const program of ['pgbouncer/install-pgbouncer-program.ts', 'chromium/install-chromium.ts'])
  await run(process.execPath, [...fromSource, `examples/local-services/src/${program}`]);

const directory = mkdtempSync(join(tmpdir(), 'trpc-once-counts-'));
const countsFile = join(directory, 'counts.json');
const code = await run(
  process.execPath,
  [
    ...[
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=./scripts/count-reporter.mjs',
    ],
    ...process.argv.slice(2),
  ],
  { env: { TEST_COUNTS_FILE: countsFile } },
);
const counts = existsSync(countsFile)
  ? JSON.parse(readFileSync(countsFile, 'utf8'))
  : { passed: 0, failed: 0, skipped: 0 };
rmSync(directory, { recursive: true });

// Vitest failed over something that is neither a test nor a file: its configuration, or a service that did not start.
if (code !== 0 && counts.failed === 0) counts.failed = 1;

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = code;
