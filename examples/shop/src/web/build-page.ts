import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions } from 'vite';

const root = fileURLToPath(new URL('../../web/', import.meta.url));

/** Builds the page from source, this workspace's packages included, into the folder `to`. Takes about two seconds. */
export async function buildPage(to: string): Promise<void> {
  await build({
    root,
    configFile: false,
    // Its hints on speed are about this machine, not about the page.
    logLevel: 'error',
    resolve: { conditions: ['@trpc-once/source', ...defaultClientConditions] },
    oxc: { jsx: { runtime: 'automatic' } },
    build: { outDir: to, emptyOutDir: true, target: 'es2022' },
  });
}
