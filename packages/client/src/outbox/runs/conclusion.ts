import type { Asked } from '../../attempts/ask-until-answered.js';
import type { Clock } from '../../attempts/clock.js';
import type { Evidence } from '../../attempts/evidence.js';
import type { AttemptEnd, Operation } from '../operation/operation.js';
import { causeOf } from '../operation/outcome.js';
import { type Ended, type Step, transition } from '../operation/transition.js';
import type { RunEnd } from './run-end.js';

/** What the asking came to: how the run ends, with the operation as it has to be stored. */
export function conclusion(now: Operation, { verdict, evidence }: Asked, clock: Clock): RunEnd {
  const after = (how: AttemptEnd) => ended(how, evidence, clock);
  const at = (step: Step) => ({ operation: transition(now, step), cause: causeOf(evidence, now.key) });
  const settled = (how: AttemptEnd): RunEnd => {
    const answer = evidence?.kind === 'answer' ? evidence.text : '';
    return { kind: 'settled', operation: transition(now, { to: 'settled', after: after(how), answer }) };
  };
  switch (verdict.kind) {
    case 'settled':
      return settled(evidence?.kind === 'answer' && evidence.replayed ? 'replayed' : 'settled');
    case 'declined': {
      if (verdict.certain || !now.mayHaveRun) return settled('declined');
      const reason = 'declined';
      return { kind: 'unknown', reason, ...at({ to: 'parked', parked: reason, after: after(reason) }) };
    }
    case 'park': {
      const { reason } = verdict;
      // Whoever says "indeterminate" has seen that it had begun.
      const mayHaveRun = reason === 'indeterminate';
      const parked: Step = { to: 'parked', parked: reason, after: after(reason), mayHaveRun };
      return { kind: 'parked', reason, ...at(parked) };
    }
    case 'expired':
      return { kind: 'expired', ...at({ to: 'expired', after: after('expired') }) };
    case 'gave-up': {
      const { reason, last, notBefore } = verdict;
      const left = { after: last && after(last.reason), mayHaveRun: last?.mayHaveRun ?? true, notBefore };
      const step: Step =
        reason === 'retry-later' ? { to: 'parked', parked: reason, ...left } : { to: 'waiting', ...left };
      return { kind: 'unknown', reason, ...at(step) };
    }
  }
}

/** An attempt's end, for the operation's notes; none of one that was not even begun. */
export function ended(how: AttemptEnd, evidence: Evidence | undefined, clock: Clock): Ended | undefined {
  const answered = evidence?.kind === 'answer' && { status: evidence.status };
  return evidence && { at: clock.now(), ended: how, ...answered };
}
