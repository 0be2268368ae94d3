/** `npm run bench -- sweeper`: measures what the documents claim. bench/README.md has the list. */
import { requireNode } from './require-node.mjs';

requireNode();
const { existsSync } = await import('node:fs');
const { join } = await import('node:path');
const { install } = await import('./install.mjs');
const { fromSource, root, run } = await import('./run.mjs');

const [name = '', ...args] = process.argv.slice(2);
const file = `bench/${name}.ts`;
if (!/^[a-z-]+$/.test(name) || !existsSync(join(root, file))) {
  console.error('npm run bench -- NAME [options]: sweeper, sweeper-paths; see bench/README.md');
  process.exit(2);
}
await install();
process.exit(await run(process.execPath, [...fromSource, file, ...args]));
