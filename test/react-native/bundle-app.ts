import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Metro from 'metro';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const entry = fileURLToPath(new URL('app.ts', import.meta.url));

/**
 * The app as React Native's own bundler makes it for a phone, with the syntax that its preset turns into what Hermes knows.
 * The workspace's packages come from source, and of everybody else's the files that a phone gets.
 */
export async function bundleApp(): Promise<string> {
  const defaults = await Metro.loadConfig({ cwd: root });
  const config = Metro.mergeConfig(defaults, {
    projectRoot: root,
    watchFolders: ['packages', 'node_modules', 'test'].map((folder) => join(root, folder)),
    reporter: { update() {} },
    maxWorkers: 1,
    resolver: {
      ...defaults.resolver,
      useWatchman: false,
      unstable_enablePackageExports: true,
      unstable_conditionNames: ['react-native', '@trpc-once/source'],
      // TypeScript's own way to name a module: by the file it becomes.
      resolveRequest(context, name, platform) {
        const source = `${name.slice(0, -3)}.ts`;
        const isOurs = name.startsWith('.') && name.endsWith('.js');
        const from = new URL(source, `file://${context.originModulePath}`);
        return context.resolveRequest(context, isOurs && existsSync(from) ? source : name, platform);
      },
    },
    transformer: {
      ...defaults.transformer,
      babelTransformerPath: createRequire(import.meta.url).resolve('@react-native/metro-babel-transformer'),
      enableBabelRCLookup: false,
      enableBabelRuntime: false,
      // Metro looks for it from the project's root, where pnpm puts nothing that the root has not asked for.
      asyncRequireModulePath: createRequire(createRequire(import.meta.url).resolve('metro')).resolve(
        'metro-runtime/src/modules/asyncRequire',
      ),
    },
  });
  const { code } = await Metro.runBuild(config, {
    entry,
    platform: 'ios',
    dev: false,
    minify: false,
    unstable_transformProfile: 'hermes-stable',
  });
  return code;
}
