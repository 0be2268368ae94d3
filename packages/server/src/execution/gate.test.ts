import { expect, test } from 'vitest';
import { noClaims } from '../claims/guarded-claims.js';
import type { OnceEvent } from '../events/once-event.js';
import type { RecordStore } from '../records/record-store.js';
import type { Call } from './call.js';
import { Executor } from './executor.js';
import { Gate } from './gate.js';

const call: Call<unknown> = {
  id: { scope: '["ann"]', key: 'k1' },
  procedure: 'pay',
  fingerprint: { text: '1.a', compare: () => 'same' },
  retentionMs: 1_000,
  leaseMs: 1_000,
  run: async () => ({ kind: 'outcome', outcome: { status: 'COMPLETED', body: '1' } }),
};

/** A gate before records whose transactions do as told. */
function gateTo(transact: () => Promise<unknown>) {
  const events: OnceEvent[] = [];
  const emit = (event: OnceEvent) => void events.push(event);
  const records = { transact } as unknown as RecordStore<unknown>;
  const executor = new Executor<unknown>({
    claims: noClaims,
    records,
    emit,
    lookAfterMs: 0,
    runTimeoutMs: 60_000,
    findOutMs: 0,
  });
  return { gate: new Gate(executor, emit), events };
}

/** Met by something that nobody thought of. */
const faulty = {
  kind: 'found',
  record: {
    get outcome() {
      throw new Error('a bug');
    },
  },
};

const settled = { kind: 'settled', outcome: { status: 'COMPLETED', body: '1' } };

test('every call is reported once: how it was answered, how long it took, and nothing of what it said', async () => {
  const { gate, events } = gateTo(async () => settled);
  expect(await gate.pass(call)).toEqual(settled);
  expect(events).toEqual([
    {
      type: 'answered',
      call: { procedure: 'pay', key: 'k1' },
      settlement: 'settled',
      durationMs: expect.any(Number),
    },
  ]);
});

test('a refusal is reported as one', async () => {
  const { gate, events } = gateTo(async () => ({ kind: 'busy' }));
  expect(await gate.pass(call)).toMatchObject({ kind: 'refused', refusal: 'IN_PROGRESS' });
  expect(events).toMatchObject([{ type: 'refused', refusal: 'IN_PROGRESS' }]);
});

test('a fault of our own is answered with unknown: what is not known is not called released', async () => {
  const { gate, events } = gateTo(async () => faulty);
  expect(await gate.pass(call)).toEqual({ kind: 'unknown', retryAfterMs: 1_000, cause: new Error('a bug') });
  expect(events).toMatchObject([{ type: 'fault', error: new Error('a bug') }]);
});

test('closing refuses new calls at once and waits for those inside, faults included', async () => {
  const ends: ((value: unknown) => void)[] = [];
  const { gate, events } = gateTo(() => new Promise((resolve) => ends.push(resolve)));
  const inside = [gate.pass(call), gate.pass(call)];
  await expect.poll(() => ends.length).toBe(2);
  let closed = false;
  const closing = gate.close().then(() => {
    closed = true;
  });
  expect(gate.inside()).toEqual(Array(2).fill({ procedure: call.procedure, key: call.id.key }));
  const refused = { kind: 'refused', refusal: 'STORE_UNAVAILABLE', retryAfterMs: 1_000 };
  expect(await gate.pass(call)).toMatchObject(refused);
  expect(ends).toHaveLength(2);
  expect(events).toMatchObject([{ type: 'refused', refusal: 'STORE_UNAVAILABLE' }]);
  ends[0]?.(settled);
  expect(await inside[0]).toMatchObject({ kind: 'settled' });
  await Promise.resolve();
  expect(closed).toBe(false);
  ends[1]?.(faulty);
  expect(await inside[1]).toMatchObject({ kind: 'unknown' });
  await closing;
  expect(closed).toBe(true);
});
