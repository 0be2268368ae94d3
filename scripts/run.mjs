import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the checkout; everything runs there, wherever it was called from. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What lets Node run a workspace's TypeScript from source. */
export const fromSource = ['--conditions=@trpc-once/source', '--import', 'tsx'];

/**
 * Runs a program in this terminal until it ends, and gives its exit code; 128 and the signal's number where a signal
 * ended it, as shells say it. What asks this process to end is passed on, so that nothing stays behind.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ stdout?: 'inherit' | 2, env?: Record<string, string>, cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, { stdout = 'inherit', env = {}, cwd = root } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['inherit', stdout, 'inherit'],
    env: { ...process.env, ...env },
  });
  const pass = (signal) => () => child.kill(signal);
  const passOn = {
    SIGTERM: pass('SIGTERM'),
    SIGHUP: pass('SIGHUP'),
    // A terminal sends Ctrl-C to all of us by itself, and a second one would be taken for impatience.
    SIGINT: process.stdin.isTTY ? () => {} : pass('SIGINT'),
  };
  for (const [signal, listener] of Object.entries(passOn)) process.on(signal, listener);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const [name, listener] of Object.entries(passOn)) process.off(name, listener);
      resolve(code ?? 128 + (signalNumbers[signal] ?? 0));
    });
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
