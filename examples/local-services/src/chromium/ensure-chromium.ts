import { findOnPath } from '../process/find-on-path.js';
import { aptGet, type Installer, installProgram, typed } from '../process/install-program.js';

export interface EnsureChromiumOptions {
  /** Hears what is about to be done to this machine. @default prints to stderr */
  readonly say?: (line: string) => void;
}

/** The npm packages of browsers fetch them from elsewhere, which not every machine may. */
const installers: readonly Installer[] = [
  aptGet('chromium'),
  { manager: 'apk', commands: [['apk', 'add', '--no-cache', 'chromium']] },
  { manager: 'dnf', commands: [['dnf', 'install', '-y', 'chromium-headless']] },
];

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'headless_shell'];

/** The first Chromium or Chrome on PATH; `undefined` when there is none. */
export function findChromium(path?: string): string | undefined {
  return findOnPath(names, path);
}

/**
 * The path of a Chromium. Where PATH has none, and we are root on a system whose package manager we know, it is installed,
 * each command printed before it runs.
 *
 * @throws Error that says what to type, where it cannot be installed from here.
 */
export function ensureChromium({ say = console.error }: EnsureChromiumOptions = {}): string {
  return findChromium() ?? installProgram({ what: 'Chromium', installers, advice, find: findChromium, say });
}

function advice(commands: Installer['commands'] = [['brew', 'install', '--cask', 'chromium']]): string {
  return `A Chromium is needed: install it (as root: ${typed(commands)}) so that it is on PATH.`;
}
