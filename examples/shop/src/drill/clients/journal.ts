import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Told } from './told.js';

/**
 * What a client process was told, written down before the outbox forgets the operation: so of every operation there is
 * a line here, or a record in the outbox, or nothing was sent for it yet. One that is killed between the two is told
 * again and writes a second line.
 *
 * A line is one write to the kernel, so a kill -9 leaves it whole or not there.
 */
export class Journal {
  readonly #file: number;
  readonly #written: Set<string>;

  constructor(path: string) {
    this.#written = new Set(readJournal(path).map(({ reference }) => reference));
    this.#file = openSync(path, 'a', 0o600);
  }

  has(reference: string): boolean {
    return this.#written.has(reference);
  }

  /** Returns once it would survive a power cut. */
  write(told: Told): void {
    writeSync(this.#file, `${JSON.stringify(told)}\n`);
    fsyncSync(this.#file);
    this.#written.add(told.reference);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Every line, in the order in which they were written. */
export function readJournal(path: string): readonly Told[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Told);
}
