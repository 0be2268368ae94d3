import { acknowledged, toldTruly } from './acknowledged.js';
import { books } from './books.js';
import type { Case, Violation } from './case.js';
import { bounded, documented } from './documented.js';
import { ended } from './ended.js';
import { noGuess } from './no-guess.js';
import { oneEffect } from './one-effect.js';
import { oneOutcome } from './one-outcome.js';
import { recordsAndEffects } from './records.js';

const rules = [
  oneEffect,
  oneOutcome,
  acknowledged,
  toldTruly,
  noGuess,
  recordsAndEffects,
  documented,
  bounded,
  ended,
  books,
];

/** Holds what was answered and what the database says against the promise; empty when it was kept. */
export function check(found: Case): readonly Violation[] {
  return rules.flatMap((rule) => [...rule(found)]);
}
