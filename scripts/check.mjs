/** `npm run check`: all that can be told without running a test. Every step runs, so that one look shows all faults. */
import { requireNode } from './require-node.mjs';

requireNode();
const { spawnSync } = await import('node:child_process');
const { install } = await import('./install.mjs');
const { root } = await import('./run.mjs');

const bin = (path, ...args) => [process.execPath, `node_modules/${path}`, ...args];

const steps = [
  ['format and lint (biome)', bin('@biomejs/biome/bin/biome', 'ci', '--colors=off', '.')],
  ['types (tsc)', bin('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json')],
  ['code in the docs', [process.execPath, 'scripts/readme-code.mjs']],
  ['links in the docs', [process.execPath, 'scripts/doc-links.mjs']],
  ['arrows (dependency-cruiser)', ['npm', 'run', '--silent', 'arrows']],
  ['unused code and dependencies (knip)', bin('knip/bin/knip.js')],
  ['build (tsdown)', ['npm', 'run', '--silent', 'build']],
  ['types in React Native (tsc)', bin('typescript/bin/tsc', '-p', 'test/react-native/tsconfig.json')],
  ['size of the client (esbuild)', [process.execPath, 'scripts/client-size.mjs']],
  ['package shapes (publint, attw)', [process.execPath, 'scripts/package-shapes.mjs']],
  ['public surface (api-extractor)', [process.execPath, 'scripts/api-reports.mjs']],
];

await install();

const failed = [];
for (const [name, [command, ...args]] of steps) {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const good = status === 0;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}, ${seconds} s`);
  if (good) continue;
  failed.push(name);
  console.log(`${stdout}${stderr}${error ?? ''}`.trimEnd().replaceAll(/^/gm, '     '));
}

if (failed.length > 0)
  console.error(`\n${failed.length} of ${steps.length} steps failed: ${failed.join('; ')}`);
else console.log(`\nAll ${steps.length} steps are good.`);
process.exitCode = failed.length > 0 ? 1 : 0;
