/** `npm start`: the shop's drill, then the shop. `npm start -- --seed 3 --orders 200` passes its arguments on. */
import { requireNode } from './require-node.mjs';

requireNode();
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

await install();
process.exit(
  await run(process.execPath, [...fromSource, 'examples/shop/src/drill/main.ts', ...process.argv.slice(2)]),
);
