import { mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Disposal } from '../../bank/disposal.js';

/**
 * The app's program as one file: it is started every few seconds, and a process that compiles the workspace first takes
 * two seconds of processor time for that, on a busy machine half a minute.
 */
export async function bundleApp(disposal: Disposal): Promise<URL> {
  // Beside what it leaves out of the bundle, so that Node finds it.
  const directory = join(dirname(createRequire(import.meta.url).resolve('sql.js')), '../../.soak');
  await mkdir(directory, { recursive: true });
  const outfile = join(directory, `app-${process.pid}.mjs`);
  disposal.defer(() => rm(outfile, { force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL('./app-program.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@trpc-once/source'],
    // Reads its WebAssembly from beside itself.
    external: ['sql.js'],
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    logLevel: 'error',
  });
  return pathToFileURL(outfile);
}
