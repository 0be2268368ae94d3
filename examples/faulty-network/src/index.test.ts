import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { faultNames, faults } from './index.js';

it('`await using` closes both proxies and leaves nothing that keeps a process alive', async () => {
  const program = fileURLToPath(new URL('./testing/open-and-close-program.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    timeout: 8_000,
  });
  expect(stdout).toBe('closed\n');
});

it('the README has a row for every fault, with what it means', async () => {
  // The formatter pads the table.
  const readme = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).replaceAll(/ {2,}/g, ' ');
  for (const fault of faultNames)
    expect(readme).toContain(
      `| \`${fault}\` | ${faults[fault].reaches} | ${faults[fault].client} | ${faults[fault].means} |`,
    );
});
