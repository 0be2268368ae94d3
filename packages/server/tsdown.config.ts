import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/embedded/index.ts'],
  format: 'esm',
  dts: true,
  platform: 'node',
});
