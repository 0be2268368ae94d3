import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Runs a benchmark, small; it fails where one of its own checks does. */
async function bench(name: string, ...args: string[]): Promise<string> {
  const { NODE_OPTIONS: _runners, ...env } = process.env;
  const file = fileURLToPath(new URL(`../../bench/${name}.ts`, import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@trpc-once/source', '--import', tsx, file, ...args],
    { env },
  );
  return stdout;
}

// Seconds where nothing else runs; each starts a Postgres and some processes of its own.
const timeout = 240_000;

test('the benchmark of the sweeper still runs, counts every record once, and prints its ratios', {
  timeout,
}, async () => {
  const printed = await bench('sweeper', '--records', '2000', '--rounds', '1', '--slice', '0.5');
  expect(printed).toMatch(/p99, ms +resting [\d.]+ and [\d.]+, sweeping [\d.]+; sweeping\/resting [\d.]+/);
  expect(printed).toContain('200 of 200 live');
});

test('the comparison of access paths still runs', { timeout }, async () => {
  const printed = await bench('sweeper-paths', '--records', '2000', '--seconds', '0.1', '--inserts', '200');
  expect(printed).toContain('nothing to do, the space used again');
});
