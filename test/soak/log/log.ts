import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Entry } from './entry.js';

/** Written by one process, which may be killed at any moment: a line is one write, so it is there whole or not at all. */
export interface Log {
  write(entry: Entry): void;
  close(): void;
}

/** Opens a log at its end, so that a process that was killed goes on where it was. */
export function openLog(path: string): Log {
  const file = openSync(path, 'a');
  return {
    write: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  };
}

/** Every entry, in the order in which they were written; none where nobody has opened it yet. */
export function readLog(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}
