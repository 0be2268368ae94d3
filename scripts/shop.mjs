/** `npm run shop`: the shop's page in a browser, with a network that can be broken. PORT says where (3000). */
import { requireNode } from './require-node.mjs';

requireNode();
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

await install();
process.exit(await run(process.execPath, [...fromSource, 'examples/shop/src/web/main.ts']));
