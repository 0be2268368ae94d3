import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that another one can tell whether it still runs. */
export interface ProcessIdentity {
  /** Machine, boot and process namespace: pids mean something only within one of these. */
  readonly where: string;
  readonly pid: number;
  /** When it started, where the system tells: pids are used again, in containers at once. */
  readonly started: string;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = orNothing(() => readlinkSync('/proc/self/ns/pid'));
  return {
    where: [hostname(), boot, namespace].join(' '),
    pid: process.pid,
    started: startOf(process.pid),
  };
}

/** Whether that process runs; `undefined` when it cannot be told from here. */
export function isRunning({ where, pid, started }: ProcessIdentity): boolean | undefined {
  if (where !== ownIdentity().where) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(pid) === started;
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot. The name before it, in brackets, can hold anything. */
function startOf(pid: number): string {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
