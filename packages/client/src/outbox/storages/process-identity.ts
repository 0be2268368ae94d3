import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A thread of a process, so that another one can tell whether it still runs. */
export interface ProcessIdentity {
  /** Machine, boot and process namespace: pids mean something only within one of these. */
  readonly where: string;
  readonly pid: number;
  /** A worker can be terminated while its process goes on. `undefined` where the system does not tell threads apart. */
  readonly thread?: number | undefined;
  /** When it started, where the system tells: pids are used again, in containers at once. */
  readonly started: string;
}

let own: ProcessIdentity | undefined;

/** This thread of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= identify();
  return own;
}

function identify(): ProcessIdentity {
  const { pid } = process;
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = orNothing(() => readlinkSync('/proc/self/ns/pid'));
  const where = [hostname(), boot, namespace].join(' ');
  // Read by this very thread. A /proc of another namespace speaks of other processes.
  const [of, , thread] = orNothing(() => readlinkSync('/proc/thread-self'))
    .split('/')
    .map(Number);
  if (of !== pid || thread === undefined) return { where, pid, started: '' };
  return { where, pid, thread, started: startOf(pid, thread) };
}

/** Whether that thread runs; `undefined` when it cannot be told from here. */
export function isRunning({ where, pid, thread = pid, started }: ProcessIdentity): boolean | undefined {
  if (where !== ownIdentity().where) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // There is a process of that number, and the system does not tell which: none at all, or not of other users' processes.
  if (started === '' || startOf(pid, pid) === '') return undefined;
  return startOf(pid, thread) === started;
}

/** Field 22 of a thread's stat, in clock ticks since boot. The name before it, in brackets, can hold anything. */
function startOf(pid: number, thread: number): string {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
