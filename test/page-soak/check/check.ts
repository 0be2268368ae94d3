import type { Case, Violation } from './case.js';
import { ended } from './ended.js';
import { oneOrder } from './one-order.js';
import { sound } from './sound.js';
import { told } from './told.js';
import { wire } from './wire.js';

/** Holds what was seen against the database; empty when the promise was kept. */
export function check(found: Case): readonly Violation[] {
  return [oneOrder, wire, told, ended, sound].flatMap((rule) => [...rule(found)]);
}
