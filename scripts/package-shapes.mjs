/** Packs each package as it would be published, and has publint and "are the types wrong" look at the tarball. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pnpm } from './install.mjs';
import { run } from './run.mjs';

const directory = mkdtempSync(join(tmpdir(), 'trpc-once-pack-'));
process.on('exit', () => rmSync(directory, { recursive: true }));
let worst = await pnpm(['-r', '--filter', './packages/*', 'pack', '--pack-destination', directory]);
for (const tarball of readdirSync(directory).map((file) => join(directory, file))) {
  worst ||= await run(process.execPath, ['node_modules/publint/src/cli.js', tarball, '--strict']);
  // Node 20.19 and newer load ES modules with require(), so there is no CommonJS to look at.
  const attw = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only'];
  worst ||= await run(process.execPath, attw);
}
process.exitCode = worst;
