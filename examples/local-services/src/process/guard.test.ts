import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { until } from '../until.js';

/** Starts a process that starts both services and never disposes of them. */
async function startOwner(how: 'running' | 'paused' | 'ends by itself') {
  const directory = mkdtempSync(join(tmpdir(), 'trpc-once-guard-'));
  // Postgres runs as another account when we are root, and has to get in.
  chmodSync(directory, 0o755);
  const program = fileURLToPath(new URL('./guard-program.ts', import.meta.url));
  const owner = spawn(process.execPath, ['--conditions=@trpc-once/source', '--import', 'tsx', program, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: directory },
  });
  const [line] = await once(owner.stdout, 'data');
  return { owner, directory, pids: JSON.parse(String(line)) as number[] };
}

async function nothingIsLeft({ pids, directory }: { pids: number[]; directory: string }): Promise<void> {
  const left = () => [...pids.filter(isRunning), ...readdirSync(directory).filter(isOurs)];
  await until(() => left().length === 0, { withinMs: 20_000 });
  rmSync(directory, { recursive: true });
}

/** tsx keeps a folder there too. */
function isOurs(name: string): boolean {
  return name.startsWith('trpc-once-');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const status = `/proc/${pid}/status`;
    // What has ended and was not collected by anyone yet still has a pid.
    return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
  } catch {
    return false;
  }
}

test.each(['running', 'paused'] as const)(
  'services that are %s are gone soon after their owner was killed with -9',
  async (how) => {
    const started = await startOwner(how);
    expect(started.pids.length).toBeGreaterThan(3);
    expect(started.pids.every(isRunning)).toBe(true);
    started.owner.kill('SIGKILL');
    await nothingIsLeft(started);
  },
);

test('services that nobody disposed of do not keep their owner alive, and go with it', async () => {
  const started = await startOwner('ends by itself');
  const [code] = await once(started.owner, 'exit');
  expect(code).toBe(0);
  await nothingIsLeft(started);
});
