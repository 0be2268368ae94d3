import { aptGet, type Installer, installProgram, typed } from '../process/install-program.js';
import { findRedisBinary } from './find-redis-binary.js';

export interface EnsureRedisOptions {
  /** Hears what is about to be done to this machine. @default prints to stderr */
  readonly say?: (line: string) => void;
}

/** Redis comes as no npm package. */
const installers: readonly Installer[] = [
  aptGet('redis-server'),
  { manager: 'apk', commands: [['apk', 'add', '--no-cache', 'redis']] },
  { manager: 'dnf', commands: [['dnf', 'install', '-y', 'valkey']] },
];

/**
 * The path of a Redis or Valkey server. Where PATH has none, and we are root on a system whose package manager we know,
 * it is installed, each command printed before it runs.
 *
 * @throws Error that says what to type, where it cannot be installed from here.
 */
export function ensureRedisBinary({ say = console.error }: EnsureRedisOptions = {}): string {
  const what = 'redis-server or valkey-server';
  return findRedisBinary() ?? installProgram({ what, installers, advice, find: findRedisBinary, say });
}

function advice(commands: Installer['commands'] = [['brew', 'install', 'redis']]): string {
  return `A Redis is needed: set REDIS_URL to one you have, or install one (as root: ${typed(commands)}) so that redis-server or valkey-server is on PATH.`;
}
