import { defaultRetryPolicy } from '@trpc-once/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEPT_NOTES, newOperation, type Operation, type OperationState } from './operation.js';
import { type Step, transition } from './transition.js';

const facts = {
  key: 'k',
  owner: 'ann',
  path: 'orders.place',
  body: '{}',
  retry: defaultRetryPolicy,
  retentionMs: 1,
};
const fresh = newOperation(facts, 1_000);
const after = { ended: 'network', at: 2_000 } as const;

const steps: Record<Step['to'], Step> = {
  sending: { to: 'sending' },
  persisted: { to: 'persisted' },
  waiting: { to: 'waiting', after, mayHaveRun: true, nextAttemptAt: 3_000, notBefore: 2_500 },
  parked: { to: 'parked', parked: 'unauthorized', after },
  expired: { to: 'expired' },
  settled: { to: 'settled', after, answer: '{"result":{}}' },
};

const allowed: Record<OperationState, Step['to'][]> = {
  persisted: ['persisted', 'sending', 'parked', 'expired', 'settled'],
  sending: ['persisted', 'waiting', 'parked', 'expired', 'settled'],
  waiting: ['persisted', 'sending', 'parked', 'expired', 'settled'],
  parked: ['sending', 'persisted', 'parked', 'expired', 'settled'],
  expired: [],
  settled: [],
};

test.each(Object.entries(allowed))('from %s to %j and nowhere else', (state, targets) => {
  const operation = { ...fresh, state: state as OperationState };
  for (const step of Object.values(steps)) {
    if (targets.includes(step.to)) expect(transition(operation, step).state).toBe(step.to);
    else expect(() => transition(operation, step)).toThrow(`cannot go from ${state} to ${step.to}`);
  }
});

test('no walk through the states changes what is sent, or goes back from an end', () => {
  const walks = fc.array(fc.constantFrom(...Object.values(steps)), { maxLength: 60 });
  fc.assert(
    fc.property(walks, (walk) => {
      let operation: Operation = fresh;
      for (const step of walk) {
        const before = operation;
        try {
          operation = transition(operation, step);
        } catch {
          continue;
        }
        expect(['expired', 'settled']).not.toContain(before.state);
        expect(operation.mayHaveRun || !before.mayHaveRun).toBe(true);
        expect(operation.attempts - before.attempts).toBe(step.to === 'sending' ? 1 : 0);
      }
      const { key, owner, path, body, createdAt, firstSentAt, retentionMs } = operation;
      expect({ key, owner, path, body, retentionMs }).toEqual({
        key: 'k',
        owner: 'ann',
        path: 'orders.place',
        body: '{}',
        retentionMs: 1,
      });
      expect([createdAt, firstSentAt]).toEqual([1_000, 1_000]);
      expect(operation.notes.length).toBeLessThanOrEqual(KEPT_NOTES);
    }),
  );
});

test('what belongs to a state goes with it', () => {
  const waiting = transition(transition(fresh, steps.sending), steps.waiting);
  expect(waiting).toMatchObject({ nextAttemptAt: 3_000, notBefore: 2_500, mayHaveRun: true });
  const sending = transition(waiting, steps.sending);
  expect(sending).not.toHaveProperty('nextAttemptAt');
  expect(sending).not.toHaveProperty('notBefore');
  const parked = transition(sending, steps.parked);
  expect(parked).toMatchObject({ parked: 'unauthorized', mayHaveRun: true });
  expect(transition(parked, steps.sending)).not.toHaveProperty('parked');
});

test('each attempt that ended leaves a note, and the latest twenty are kept', () => {
  let operation = fresh;
  for (let n = 0; n < KEPT_NOTES + 5; n += 1)
    operation = transition(transition(operation, steps.sending), steps.waiting);
  expect(operation.notes.length).toBe(KEPT_NOTES);
  expect(operation.notes.at(-1)).toEqual({ number: KEPT_NOTES + 5, at: 2_000, ended: 'network' });
});

test('an operation cannot be changed in place', () => {
  const sending = transition(fresh, steps.sending);
  expect(() => Object.assign(sending, { key: 'other' })).toThrow(TypeError);
  expect(() => (sending.notes as unknown[]).push(1)).toThrow(TypeError);
});
