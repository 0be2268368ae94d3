import { acknowledged, toldTruly } from '../../check/acknowledged.js';
import { books } from '../../check/books.js';
import type { Violation } from '../../check/case.js';
import { bounded, documented } from '../../check/documented.js';
import { oneOutcome } from '../../check/one-outcome.js';
import { recordsAndEffects } from '../../check/records.js';
import type { AppCase } from './app-case.js';
import { oneEffectOfAKey, oneKey, ownCredentials } from './keys.js';
import { halted, inLine } from './lanes.js';
import { errorsMeanIt, notedFirst, nothingLost } from './outcomes.js';

const rules: readonly ((found: AppCase) => Iterable<Violation>)[] = [
  oneEffectOfAKey,
  oneKey,
  ownCredentials,
  nothingLost,
  notedFirst,
  errorsMeanIt,
  inLine,
  halted,
  oneOutcome,
  acknowledged,
  toldTruly,
  recordsAndEffects,
  documented,
  bounded,
  books,
];

/** Holds what the fleet's apps noted, and what they were answered, against the database. */
export function checkApps(found: AppCase): readonly Violation[] {
  return rules.flatMap((rule) => [...rule(found)]);
}
