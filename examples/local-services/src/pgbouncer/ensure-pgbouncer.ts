import { findOnPath, isExecutable } from '../process/find-on-path.js';
import { aptGet, type Installer, installProgram, typed } from '../process/install-program.js';

export interface EnsurePgBouncerOptions {
  /** Hears what is about to be done to this machine. @default prints to stderr */
  readonly say?: (line: string) => void;
}

/** PgBouncer comes as no npm package. */
const installers: readonly Installer[] = [
  aptGet('pgbouncer'),
  { manager: 'apk', commands: [['apk', 'add', '--no-cache', 'pgbouncer']] },
  { manager: 'dnf', commands: [['dnf', 'install', '-y', 'pgbouncer']] },
];

/** Where Debian puts it; only root's PATH has that folder. */
const SBIN = '/usr/sbin/pgbouncer';

/** A PgBouncer on PATH, or where the system's packages put it; `undefined` when there is none. */
export function findPgBouncer(path?: string): string | undefined {
  return findOnPath(['pgbouncer'], path) ?? (path === undefined && isExecutable(SBIN) ? SBIN : undefined);
}

/**
 * The path of PgBouncer. Where there is none, and we are root on a system whose package manager we know, it is installed,
 * each command printed before it runs.
 *
 * @throws Error that says what to type, where it cannot be installed from here.
 */
export function ensurePgBouncer({ say = console.error }: EnsurePgBouncerOptions = {}): string {
  return (
    findPgBouncer() ?? installProgram({ what: 'pgbouncer', installers, advice, find: findPgBouncer, say })
  );
}

function advice(commands: Installer['commands'] = [['brew', 'install', 'pgbouncer']]): string {
  return `PgBouncer is needed: install it (as root: ${typed(commands)}) so that pgbouncer is on PATH.`;
}
