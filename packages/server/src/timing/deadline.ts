import { LONGEST_MS, NoAnswerError } from './within.js';

/** A time limit that is set anew for each part of something that goes on for as long as it has to. */
export interface Deadline {
  /** Starts anew. @param what What is waited for, in words. */
  set(ms: number, what: string): void;
  /** Nothing is waited for now. */
  clear(): void;
  /** Rejects when time is up, and never resolves. */
  readonly passed: Promise<never>;
  /** Whether it has passed, once and for all. */
  readonly isOver: boolean;
}

/** @throws NoAnswerError through `passed`. */
export function deadline(): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let fail: (error: Error) => void;
  const passed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  passed.catch(() => {});
  return {
    set(ms, what) {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          isOver = true;
          fail(new NoAnswerError(`${what} took longer than ${ms} ms`));
        },
        Math.min(ms, LONGEST_MS),
      );
    },
    clear: () => clearTimeout(timer),
    passed,
    get isOver() {
      return isOver;
    },
  };
}
