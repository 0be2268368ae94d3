import type { RunEnd } from './run-end.js';

/** Ends a run from within one of its attempts. */
export class Stopped extends Error {
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(end.kind);
    this.end = end;
  }
}

export function stop(end: RunEnd): never {
  throw new Stopped(end);
}
