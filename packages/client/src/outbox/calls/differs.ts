import type { Foundation } from '../foundation.js';
import type { Operation } from '../operation/operation.js';
import { sameBody } from '../operation/same-body.js';
import type { Call } from './call.js';

/** Whether a call of an operation's key or intent means something else. */
export function differs(
  { key, path, intent, body }: Operation,
  call: Partial<Call>,
  { transformer }: Pick<Foundation, 'transformer'>,
): boolean {
  return (
    (call.path !== undefined && (call.path !== path || !sameBody(call.body!, body, transformer))) ||
    (call.keyGiven === true && call.key !== key) ||
    (call.intent !== undefined && intent !== undefined && call.intent !== intent)
  );
}
