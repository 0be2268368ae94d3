/** `npm run soak:page -- --minutes 10 --seed 3`: the shop's page in real browsers, with everything it touches breaking. */
import { requireNode } from './require-node.mjs';

requireNode();
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

await install();
// Without a browser the soak itself says what to do.
await run(process.execPath, [...fromSource, 'examples/local-services/src/chromium/install-chromium.ts']);
process.exit(
  await run(process.execPath, [
    ...fromSource,
    'test/page-soak/page-soak-program.ts',
    ...process.argv.slice(2),
  ]),
);
