/** `npm run build`: what is published, into each package's dist/. Tests need none of it: they run from source. */
import { install } from './install.mjs';
import { packages } from './packages.mjs';
import { root, run } from './run.mjs';

await install();
for (const { folder } of packages()) {
  const code = await run(process.execPath, [`${root}/node_modules/tsdown/dist/run.mjs`], { cwd: folder });
  if (code !== 0) process.exit(code);
}
