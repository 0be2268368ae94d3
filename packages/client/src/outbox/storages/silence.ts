import { Latest } from '../hand-over/latest.js';

/** How often a holder shows that it lives, to those who cannot see its process, and after how much silence they take over. */
export const BEAT_MS = 3_000;
export const SILENT_MS = 15_000;

interface Watched {
  readonly mtimeMs: number;
  /** When it was first seen so, by our own steady clock. */
  readonly at: number;
  readonly hasBeaten: boolean;
}

/** More claims than anybody looks at a time; one that is dropped is watched anew. */
const watched = new Latest<Watched>(1_000);

/**
 * What a claim's beats say of its holder. By the file system's clock, or, since that may have been set back, by our own:
 * what has not changed for as long as we look at it is silent, whatever time it says.
 *
 * @param nowMs by the file system's clock
 * @returns `unclear` until it has beaten, or has been silent for long enough
 */
export function heardOf(file: string, mtimeMs: number, nowMs: number): 'lives' | 'silent' | 'unclear' {
  const at = performance.now();
  let seen = watched.get(file);
  if (seen?.mtimeMs !== mtimeMs) {
    seen = { mtimeMs, at, hasBeaten: seen !== undefined };
    watched.set(file, seen);
  }
  if (nowMs - mtimeMs >= SILENT_MS || at - seen.at >= SILENT_MS) return 'silent';
  return seen.hasBeaten ? 'lives' : 'unclear';
}

/** It is gone, and its name is not used again. */
export function forget(file: string): void {
  watched.delete(file);
}
