import { defaultRetryPolicy } from '@trpc-once/contract';
import { expect, test } from 'vitest';
import { newOperation, type Operation, operationId } from '../operation/operation.js';
import { transition } from '../operation/transition.js';
import { decodeRecord, encodeRecord } from './record-codec.js';

const body =
  '{"json":{"at":"1970-01-01T00:00:00.000Z","note":"line\\u2028end \\u0000 é 😀"},"meta":{"values":{"at":["Date"]}}}';
const facts = {
  key: 'k',
  owner: 'ann',
  path: 'orders.place',
  body,
  intent: 'checkout:1',
  retry: defaultRetryPolicy,
  retentionMs: 9,
};
const operation = newOperation(facts, 1_000);
const id = operationId(operation);

function stored(change: object): string {
  return JSON.stringify({ ...operation, ...change });
}

const sent = transition(operation, { to: 'sending' });

test('a record comes back as it was, its body byte for byte', () => {
  for (const mayHaveRun of [true, false]) {
    const waiting = transition(sent, { to: 'waiting', after: undefined, mayHaveRun });
    const read = decodeRecord(id, encodeRecord(waiting));
    expect(read).toEqual(waiting);
    expect(read.body).toBe(body);
    expect(Object.isFrozen(read)).toBe(true);
  }
});

test.each<[string, Operation, boolean]>([
  ['is about to be sent', operation, true],
  ['was about to be sent once more', transition(operation, { to: 'persisted' }), true],
  ['has an outcome', transition(sent, { to: 'settled', answer: '{}' }), true],
  ['was held back from the start', transition(operation, { to: 'parked', parked: 'lane-halted' }), false],
  ['was held back after an attempt', transition(sent, { to: 'parked', parked: 'lane-halted' }), true],
  ['was put off', transition(sent, { to: 'parked', parked: 'retry-later' }), false],
  ['was put off after one that may have run', { ...sent, state: 'parked', mayHaveRun: true }, true],
])('whoever finds a record of one that %s knows whether it may have run', (_, written, mayHaveRun) => {
  expect(decodeRecord(id, encodeRecord(written)).mayHaveRun).toBe(mayHaveRun);
});

test('a record that does not say whether it may have run may have', () => {
  expect(decodeRecord(id, stored({ state: 'waiting', mayHaveRun: undefined })).mayHaveRun).toBe(true);
});

test('fields that a newer minor version added are kept', () => {
  expect(decodeRecord(id, stored({ lane: 'cart' }))).toHaveProperty('lane', 'cart');
});

test.each([
  ['cut short', encodeRecord(operation).slice(0, -5)],
  ['empty', ''],
  ['not JSON', 'undefined'],
  ['null', 'null'],
  ['a list', '[]'],
  ['of a newer version', stored({ version: 2 })],
  ["under another operation's id", stored({ key: 'other' })],
  ["under another owner's id", stored({ owner: 'ben' })],
  ['with a key that is no key', stored({ key: 'a,b' })],
  ['with a body that is no text', stored({ body: { sku: 'tea' } })],
  ['in no state', stored({ state: 'lost' })],
  ['in a state that is never stored', stored({ state: 'sending' })],
  ['settled without an answer', stored({ state: 'settled' })],
  ['with an answer and not settled', stored({ answer: '{}' })],
  ['without a time', stored({ firstSentAt: null })],
  ['with attempts that are no number', stored({ attempts: '3' })],
  ['without notes', stored({ notes: undefined })],
  ['with a policy out of its range', stored({ retry: { maxAttempts: 0 } })],
])('a record %s is refused with a reason', (_, text) => {
  expect(() => decodeRecord(id, text)).toThrow(/./);
});

test('a record that cannot be read is refused', () => {
  expect(() => decodeRecord(id, undefined)).toThrow('cannot be read');
});
