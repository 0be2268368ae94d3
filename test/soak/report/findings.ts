/** One thing that must not be, with everything needed to look into it. */
export interface Finding {
  /** What is broken, in a word or two; findings are counted by it. */
  readonly rule: string;
  readonly what: string;
}

/** What was found while the soak ran, by whoever saw it. */
export class Findings {
  readonly #all: Finding[] = [];

  add(rule: string, what: string): void {
    this.#all.push({ rule, what });
  }

  all(): readonly Finding[] {
    return this.#all;
  }
}
