import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The pids of a process's direct children. */
export function childrenOf(parent: number): number[] {
  // Slim Linux images have no ps, and macOS has no /proc.
  const all = existsSync('/proc/self/stat') ? fromProc() : fromPs();
  return all.filter((each) => each.parent === parent).map((each) => each.pid);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
}

function fromProc(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The command, in brackets, may hold anything; the state and then the parent follow the last bracket.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(name), parent }];
      } catch {
        // It ended between the listing and the reading.
        return [];
      }
    });
}

function fromPs(): Process[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return { pid: pid as number, parent: parent as number };
  });
}
