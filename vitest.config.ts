import { configDefaults, defineConfig } from 'vitest/config';

/** The workspace's packages run from source, so that no test can meet a build that is older than the code. */
const conditions = ['@trpc-once/source', 'module', 'node', 'development|production'];

const fromSource = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['@trpc-once/source', 'node'] } },
};

/** These look at the workspace itself. */
const withoutServices = ['test/package/**/*.test.ts'];

/** These start services of their own, though they lie beside what they test. */
const withServices = ['examples/local-services/src/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', ...withoutServices],
          exclude: [...configDefaults.exclude, ...withServices],
          // Nothing in here waits for anything real, but a PGlite takes seconds to start on a busy machine.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...fromSource,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/*/src/**/*.test-d.ts', 'test/types/**/*.test-d.ts'],
            tsconfig: 'tsconfig.types.json',
            // Errors outside these files are for `npm run check`, which names them all.
            ignoreSourceErrors: true,
          },
        },
      },
      {
        ...fromSource,
        test: {
          name: 'integration',
          include: ['test/**/*.test.{ts,tsx}', ...withServices],
          exclude: [...configDefaults.exclude, ...withoutServices],
          globalSetup: 'test/resources/global-setup.ts',
          // Made for Metro, whose imports need no extension.
          server: { deps: { inline: ['@react-native-async-storage/async-storage'] } },
          // Many measure time, and start processes of their own: more than one a core, and they measure each other.
          maxWorkers: 2,
          // After the others: what these measure in time should not share the cores with them.
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
