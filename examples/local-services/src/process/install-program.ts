import { spawnSync } from 'node:child_process';

/** What installs a program, by the package manager that does it. */
export interface Installer {
  readonly manager: string;
  readonly commands: readonly (readonly string[])[];
}

export interface InstallOptions {
  /** As people call it, in messages: "redis-server or valkey-server". */
  readonly what: string;
  readonly installers: readonly Installer[];
  /** What to do by hand; ends the error where it cannot be done from here. */
  readonly advice: (commands: Installer['commands'] | undefined) => string;
  /** Looks again, after the installation. */
  readonly find: () => string | undefined;
  /** Hears what is about to be done to this machine. */
  readonly say: (line: string) => void;
}

/**
 * Installs a program through the system's package manager, where we know it and are root. Each command is told before it
 * runs.
 *
 * @returns its path
 * @throws Error that ends in the advice, where it cannot be installed from here.
 */
export function installProgram({ what, installers, advice, find, say }: InstallOptions): string {
  const installer = installers.find(({ manager }) => isOnPath(manager));
  if (installer === undefined || process.getuid?.() !== 0) throw new Error(advice(installer?.commands));
  say(`No ${what} on PATH; installing one with ${installer.manager}:`);
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
  const installed = find();
  if (installed === undefined) throw new Error(`it was installed, but is not on PATH. ${advice(undefined)}`);
  return installed;
}

/** A line to type as root. */
export function typed(commands: Installer['commands']): string {
  return commands.map((command) => command.join(' ')).join(' && ');
}

/** How apt-get installs a package, without asking anything. */
export function aptGet(name: string): Installer {
  return {
    manager: 'apt-get',
    commands: [
      ['apt-get', 'update', '-qq'],
      ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
    ],
  };
}

function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
