import type { Asked, GaveUp } from '../attempts/ask-until-answered.js';
import type { Clock } from '../attempts/clock.js';
import type { Evidence } from '../attempts/evidence.js';
import type { AttemptEnd, Operation } from './operation.js';
import type { RunEnd } from './run-end.js';
import { type Ended, transition } from './transition.js';

/** What the asking came to: how the run ends, with the operation as it has to be stored. */
export function conclusion(now: Operation, { verdict, evidence }: Asked, clock: Clock): RunEnd {
  const after = (how: AttemptEnd) => ended(how, evidence, clock);
  const settled = (how: AttemptEnd): RunEnd => {
    const answer = evidence?.kind === 'answer' ? evidence.text : '';
    return {
      kind: 'settled',
      operation: transition(now, { to: 'settled', after: after(how), answer }),
      evidence,
    };
  };
  switch (verdict.kind) {
    case 'settled':
      return settled(evidence?.kind === 'answer' && evidence.replayed ? 'replayed' : 'settled');
    case 'declined': {
      if (verdict.certain || !now.mayHaveRun) return settled('declined');
      const operation = transition(now, { to: 'parked', reason: 'declined', after: after('declined') });
      return { kind: 'unknown', reason: 'declined', operation, evidence };
    }
    case 'park': {
      const { reason } = verdict;
      const operation = transition(now, { to: 'parked', reason, after: after(reason) });
      return { kind: 'parked', reason, operation, evidence };
    }
    case 'expired':
      return {
        kind: 'expired',
        operation: transition(now, { to: 'expired', after: after('expired') }),
        evidence,
      };
    case 'gave-up': {
      const operation = leave(now, verdict, verdict.last && after(verdict.last.reason));
      return { kind: 'unknown', reason: verdict.reason, operation, evidence };
    }
  }
}

function leave(operation: Operation, gaveUp: GaveUp, after: Ended | undefined): Operation {
  const { reason, notBefore } = gaveUp;
  const mayHaveRun = gaveUp.last?.mayHaveRun ?? true;
  return reason === 'retry-later'
    ? transition(operation, { to: 'parked', reason, after, mayHaveRun, notBefore })
    : transition(operation, { to: 'waiting', after, mayHaveRun, notBefore });
}

/** An attempt's end, for the operation's notes. */
export function ended(how: AttemptEnd, evidence: Evidence | undefined, clock: Clock): Ended | undefined {
  return (
    evidence && {
      ended: how,
      at: clock.now(),
      status: evidence.kind === 'answer' ? evidence.status : undefined,
    }
  );
}
