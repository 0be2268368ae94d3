import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/outbox/storages/file.ts'],
  format: 'esm',
  dts: true,
  platform: 'neutral',
});
