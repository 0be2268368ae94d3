/**
 * What the client costs an app, minified and gzipped as its bundler would, and what must not be in there at all. Measured
 * from dist/, so `npm run build` goes first. Pages state the limits in a block of their own, which is held to them here:
 * a figure that moved with every commit would say no more and be wrong more often. `--update` writes the blocks anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './run.mjs';

/** In kB of 1,000 bytes. Why they are what they are: docs/decisions/0009-what-the-client-weighs.md. */
const bundles = [
  {
    what: 'its own code',
    code: `export { createIdempotentClient, memoryStorage } from '@trpc-once/client'`,
    external: ['uuid'],
    limit: 22.1,
  },
  {
    what: 'with uuid and the IndexedDB outbox',
    code: `export { createIdempotentClient, indexedDbStorage } from '@trpc-once/client'`,
    external: [],
    limit: 25.4,
  },
];

const pages = ['README.md', 'docs/decisions/0009-what-the-client-weighs.md'];

/** A module's path, and the bundles it may not be in. What is imported must not drag in what is not. */
const absences = [
  [/storages\/indexed-db/, "export { createIdempotentClient, memoryStorage } from '@trpc-once/client'"],
  // What only tabs or processes need comes with the storages that they share.
  [/coordination\/(?!others)/, "export { createIdempotentClient, memoryStorage } from '@trpc-once/client'"],
  [/storages\/local-storage/, "export { createIdempotentClient, indexedDbStorage } from '@trpc-once/client'"],
  [/storages\/memory/, "export { createIdempotentClient, indexedDbStorage } from '@trpc-once/client'"],
  [/storages\//, "export { idempotencyLink } from '@trpc-once/client'"],
  [/dist\/client\//, "export { idempotencyLink } from '@trpc-once/client'"],
  // A client over a manifest: no builder, no validators, and none of the texts that a server sends.
  [/procedure\/|define-contract|refusals\/refusals/, "export * from '@trpc-once/client'"],
  [/node_modules\/(zod|react|@standard-schema)/, "export * from '@trpc-once/client'"],
  // The hooks come on top of a client, and bring none of it along.
  [
    /attempts\/|storages\/|durable-outbox|create-idempotent-client/,
    "export * from '@trpc-once/client/react'",
  ],
  // Telling errors apart costs next to nothing.
  [/outbox\/|node_modules/, "export { isOutcomeUnknown, isNotSent } from '@trpc-once/client'"],
];

/** What is imported only when it is needed (leases, where Web Locks are missing): a file of its own to apps' bundlers too. */
const onDemand = {
  name: 'on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
  },
};

async function bundle(code, external = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: join(root, 'test') },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['@trpc/*', ...external],
    legalComments: 'none',
    // Bare imports that tsdown leaves of what a module only needs types of, or nothing more, once it was shaken.
    logOverride: { 'ignored-bare-import': 'silent' },
    metafile: true,
    plugins: [onDemand],
    write: false,
  });
  const inputs = Object.entries(Object.values(metafile.outputs)[0].inputs);
  return {
    kilobytes: gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000,
    modules: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
  };
}

const faults = [];

for (const { what, code, external, limit } of bundles) {
  const { kilobytes } = await bundle(code, external);
  console.log(`${kilobytes.toFixed(2)} of ${limit} kB: ${what}`);
  if (kilobytes > limit) faults.push(`${what}: ${kilobytes.toFixed(2)} kB is above ${limit} kB`);
}

for (const [unwanted, code] of absences) {
  const { modules } = await bundle(code);
  if (modules.length === 0) faults.push(`nothing was bundled of ${code}`);
  for (const path of modules) if (unwanted.test(path)) faults.push(`${path} is in the bundle of: ${code}`);
}

const stated = bundles.map(({ what, limit }) => `under ${limit} kB ${what}`).join(', ');
for (const page of pages) {
  const before = readFileSync(join(root, page), 'utf8');
  const after = before.replaceAll(/(<!-- client-size -->)[\s\S]*?(<!-- \/client-size -->)/g, `$1${stated}$2`);
  if (after === before) continue;
  if (process.argv.includes('--update')) writeFileSync(join(root, page), after);
  else faults.push(`${page} states other limits; run: node scripts/client-size.mjs --update`);
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
