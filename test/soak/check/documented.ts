import { ANSWER_BOUND_MS } from '../load/exchange.js';
import type { Rule } from './case.js';
import type { Attempt } from './history.js';

/** Every answer is one of those that are documented, and one that this attempt may get. */
export const documented: Rule = function* ({ history }) {
  for (const attempt of history.attempts.values()) {
    const why = whyNot(attempt, history.operations.get(attempt.operation)?.fate);
    if (why !== undefined)
      yield {
        rule: 'undocumented answer',
        what: `attempt ${attempt.attempt} (${attempt.role}) got ${attempt.answer?.status} ${attempt.answer?.text}\n${why}`,
        operations: [attempt.operation],
      };
  }
};

/** Nobody waits for an answer for longer than the bound. */
export const bounded: Rule = function* ({ history }) {
  for (const { attempt, operation, at, endedAt, silence } of history.attempts.values())
    if (endedAt !== undefined && endedAt - at >= ANSWER_BOUND_MS)
      yield {
        rule: 'no answer in time',
        what: `attempt ${attempt} took ${endedAt - at} ms (${silence ?? 'answered'})`,
        operations: [operation],
      };
};

function whyNot({ role, meaning }: Attempt, fate: string | undefined): string | undefined {
  if (!meaning) return undefined;
  if (meaning.kind === 'undocumented') return meaning.why;
  const said = meaning.kind === 'refused' ? meaning.refusal : meaning.kind;
  switch (role) {
    case 'honest':
      if (said === 'FINGERPRINT_MISMATCH' && fate !== 'contested') return 'its key belongs to nobody else';
      if (/^KEY_|^SCOPE_/.test(said)) return 'its key is good, and its principal is known';
      if (meaning.kind === 'failed' && fate !== (meaning.code === 'CONFLICT' ? 'declared' : 'declined'))
        return 'it has no reason to fail so';
      if (meaning.kind === 'completed' && fate !== 'effect' && fate !== 'contested')
        return 'it cannot succeed';
      return undefined;
    case 'impostor':
      return ['FINGERPRINT_MISMATCH', 'IN_PROGRESS', 'STORE_UNAVAILABLE'].includes(said)
        ? undefined
        : "another operation's key must be refused";
    case 'probe':
      return said === 'KEY_MISSING' || said === 'KEY_MALFORMED' ? undefined : 'its key is none';
  }
}
