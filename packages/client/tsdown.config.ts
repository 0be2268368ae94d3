import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/react/index.ts', 'src/outbox/storages/{async-storage,file,mmkv,sqlite}.ts'],
  format: 'esm',
  dts: true,
  platform: 'neutral',
  unbundle: true,
  // Only ./file needs them: the arrow nothing-of-node holds the main entry to that.
  deps: { neverBundle: [/^node:/] },
});
