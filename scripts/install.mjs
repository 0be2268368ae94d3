import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

/** Says for which lock file, packages and platform node_modules was last made. */
const stamp = join(root, 'node_modules', '.installed-for');

/** pnpm in the version that package.json names, so that nobody has to have it. */
export function pnpm(args, options) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return run('npx', ['--yes', packageManager, ...args], options);
}

/**
 * Installs what the lock file says, unless that is there already: then it takes a millisecond and no network.
 * Ends the process when it fails.
 */
export async function install() {
  const wanted = whatIsWanted();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing packages (once, and again when the lock file changes) …');
  rmSync(stamp, { force: true });
  // Its report goes to stderr: what these scripts print on stdout is the run's own.
  const code = await pnpm(['install', '--frozen-lockfile'], { stdout: 2 });
  if (code !== 0) {
    console.error(
      'The packages could not be installed: see above. Once that is put right, run the same command again.',
    );
    process.exit(code);
  }
  writeFileSync(stamp, wanted);
}

function whatIsWanted() {
  const digest = createHash('sha256');
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    digest.update(readFileSync(join(root, file)));
  return `${digest.digest('hex')} ${process.platform} ${process.arch} ${root}\n`;
}
