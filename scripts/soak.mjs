/** `npm run soak -- --minutes 10 --seed 3`: servers under load while everything around them breaks. */
import { requireNode } from './require-node.mjs';

requireNode();
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

await install();
process.exit(
  await run(process.execPath, [...fromSource, 'test/soak/soak-program.ts', ...process.argv.slice(2)]),
);
