import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/embedded/index.ts'],
  format: 'esm',
  dts: true,
  platform: 'node',
  // The package is of type "module", so .js is ESM; tsdown would write .mjs for Node.
  fixedExtension: false,
});
