import { spawnSync } from 'node:child_process';
import { findRedisBinary } from './find-redis-binary.js';

export interface EnsureRedisOptions {
  /** Hears what is about to be done to this machine. @default prints to stderr */
  readonly say?: (line: string) => void;
}

/** What installs a Redis, by the program that does it. Redis comes as no npm package. */
const installers: readonly { readonly program: string; readonly commands: readonly (readonly string[])[] }[] =
  [
    {
      program: 'apt-get',
      commands: [
        ['apt-get', 'update', '-qq'],
        ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'redis-server'],
      ],
    },
    { program: 'apk', commands: [['apk', 'add', '--no-cache', 'redis']] },
    { program: 'dnf', commands: [['dnf', 'install', '-y', 'valkey']] },
  ];

/**
 * The path of a Redis or Valkey server. Where PATH has none, and we are root on a system whose package manager we know,
 * it is installed, each command printed before it runs.
 *
 * @throws Error that says what to type, where it cannot be installed from here.
 */
export function ensureRedisBinary({ say = console.error }: EnsureRedisOptions = {}): string {
  const found = findRedisBinary();
  if (found !== undefined) return found;
  const installer = installers.find(({ program }) => isOnPath(program));
  if (installer === undefined || process.getuid?.() !== 0) throw new Error(advice(installer?.commands));
  say(`No redis-server or valkey-server on PATH; installing one with ${installer.program}:`);
  for (const [command = '', ...args] of installer.commands) {
    say(`  $ ${[command, ...args].join(' ')}`);
    const { status, error } = spawnSync(command, args, {
      // Standard output is the caller's, and may be read by a program.
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command} ended with ${status}. ${advice(installer.commands)}`);
  }
  const installed = findRedisBinary();
  if (installed === undefined) throw new Error(`it was installed, but is not on PATH. ${advice()}`);
  return installed;
}

function advice(commands: readonly (readonly string[])[] = [['brew', 'install', 'redis']]): string {
  const typed = commands.map((command) => command.join(' ')).join(' && ');
  return `A Redis is needed: set REDIS_URL to one you have, or install one (as root: ${typed}) so that redis-server or valkey-server is on PATH.`;
}

function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
