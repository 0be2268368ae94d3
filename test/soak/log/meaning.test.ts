import { expect, test } from 'vitest';
import { error, insufficientFunds, receipt, receiptOf, refusal } from '../check/good-story.js';
import { isMadeUp } from './made-up.js';
import { meaningOf } from './meaning.js';

test('every documented answer is understood', () => {
  expect(meaningOf(receipt(1, 'a', 'settled'))).toEqual({
    kind: 'completed',
    settlement: 'settled',
    body: JSON.stringify(receiptOf(1, 'a')),
  });
  expect(meaningOf(insufficientFunds('replayed'))).toMatchObject({ kind: 'failed', settlement: 'replayed' });
  expect(meaningOf(refusal('STORE_UNAVAILABLE', 503))).toEqual({
    kind: 'refused',
    refusal: 'STORE_UNAVAILABLE',
  });
  const later = { retryAfterMs: 1_000 };
  expect(meaningOf(error(503, 'no', { settlement: 'unknown', ...later }))).toEqual({ kind: 'unknown' });
  expect(meaningOf(error(503, 'no', { settlement: 'released', ...later }))).toMatchObject({
    kind: 'released',
  });
  expect(meaningOf(error(500, 'flaky', { settlement: 'released' }))).toMatchObject({ byHandler: 'flaky' });
});

test('what no documentation has is told apart, and why', () => {
  const strange = [
    error(500, 'deadlock detected', { settlement: 'released' }),
    error(409, 'no', { settlement: 'settled' }),
    error(503, 'no', { refusal: 'IN_PROGRESS', retryAfterMs: 1 }),
    error(503, 'no', { settlement: 'unknown' }),
    error(418, 'no', {}),
    { ...receipt(1, 'a', 'settled'), text: '{}' },
    { ...receipt(1, 'a', 'settled'), headers: { status: null, replayed: null, retryAfter: null } },
  ];
  for (const answer of strange)
    expect(meaningOf(answer)).toMatchObject({ kind: 'undocumented', why: expect.any(String) });
});

test('a page is taken for made up by the network only where the network makes such pages', () => {
  const headers = { status: null, replayed: null, retryAfter: null };
  expect(isMadeUp({ status: 504, headers, text: '<h1>504</h1><hr><p>faulty-network</p>\n' })).toBe(true);
  expect(isMadeUp({ status: 504, headers, text: '<h1>504</h1>' })).toBe(false);
  expect(isMadeUp({ status: 500, headers, text: '<p>faulty-network</p>' })).toBe(false);
  expect(isMadeUp(receipt(1, 'a', 'settled'))).toBe(false);
});
