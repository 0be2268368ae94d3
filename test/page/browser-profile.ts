import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, type Guard, startGuard, until } from '@trpc-once/local-services';
import { type BrowserContext, chromium } from 'playwright-core';

/** Root, as CI is, has no sandbox; only pages of this repository are opened. /dev/shm is small in containers. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--remote-debugging-port=0',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-gpu',
  '--mute-audio',
  '--window-size=1100,900',
];

/**
 * Somebody's browser on their device: a Chromium process of its own over a profile that outlives it. Playwright's own
 * launch has no persistent profile that one can kill and open again.
 */
export class BrowserProfile implements AsyncDisposable {
  readonly #directory: string;
  readonly #guard: Guard;
  #process: ChildProcess | undefined;
  #context: BrowserContext | undefined;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#guard = startGuard({ signal: 'KILL', directory });
  }

  static async open(): Promise<BrowserProfile> {
    const profile = new BrowserProfile(await mkdtemp(join(tmpdir(), 'trpc-once-profile-')));
    try {
      await profile.start();
      return profile;
    } catch (error) {
      await profile[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Of the browser's life now. */
  get context(): BrowserContext {
    if (!this.#context) throw new Error('this browser is not running');
    return this.#context;
  }

  /** Starts it over what its last life left on disk. */
  async start(): Promise<void> {
    const portFile = join(this.#directory, 'DevToolsActivePort');
    await rm(portFile, { force: true });
    const child = spawn(findChromium()!, [...flags, `--user-data-dir=${this.#directory}`, 'about:blank'], {
      stdio: 'ignore',
      // A group of its own, so that all its processes can be killed at once.
      detached: true,
    });
    this.#process = child;
    await once(child, 'spawn');
    this.#guard.watch(child.pid!);
    const port = await until(
      async () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('Chromium did not start');
        return (await readFile(portFile, 'utf8').catch(() => '')).split('\n')[0];
      },
      { withinMs: 120_000, what: 'Chromium answers' },
    );
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, {
      timeout: 120_000,
      noDefaults: true,
    });
    this.#context = browser.contexts()[0]!;
    this.#context.setDefaultTimeout(30_000);
  }

  /** `kill -9` of all its processes: what they had not written is lost. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = this.#context = undefined;
    if (!child?.pid) return;
    const group = -child.pid;
    const exited = once(child, 'exit');
    signal(group, 'SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await exited;
    this.#guard.forget();
    await until(() => !signal(group, 0), { withinMs: 30_000, what: 'all processes of the browser are gone' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#guard.release();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Whether anybody was there to get it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
