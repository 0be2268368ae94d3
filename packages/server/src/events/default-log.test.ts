import { TRPCError } from '@trpc/server';
import { expect, test } from 'vitest';
import { defaultLog } from './default-log.js';
import type { OnceEvent } from './once-event.js';

function open() {
  const said: string[] = [];
  let ms = 0;
  const log = defaultLog({ print: (text) => said.push(text), now: () => ms });
  return {
    said,
    pass: (more: number) => {
      ms += more;
    },
    tell: (...events: OnceEvent[]) => events.forEach(log),
  };
}

const call = { procedure: 'orders.place', key: 'k1' };
const down = { type: 'records-failed', error: new Error('connect ECONNREFUSED') } as const;
const settled = { type: 'answered', call, settlement: 'settled', durationMs: 1 } as const;
const bug = { type: 'handler-failed', call, error: new TypeError('x is not a function') } as const;

test('an outage of the records is said once, and its end with a count', () => {
  const { said, pass, tell } = open();
  for (let n = 0; n < 300; n++) {
    tell(down);
    pass(100);
  }
  expect(said).toEqual([
    'trpc-once: the records fail, and calls are answered 503 (said once; its end will be told): connect ECONNREFUSED',
  ]);
  pass(5_000);
  tell(settled, settled);
  expect(said.slice(1)).toEqual(['trpc-once: the records work again, after 300 failures in 30 s']);
  tell(down);
  expect(said).toHaveLength(3);
});

test('where some calls fail and others do not, that is one outage', () => {
  const { said, pass, tell } = open();
  for (let n = 0; n < 50; n++) {
    tell(down, settled);
    pass(1_000);
  }
  expect(said).toHaveLength(1);
});

test('an outage that goes on for another reason says that too, once', () => {
  const { said, tell } = open();
  const password = { ...down, error: new Error('password authentication failed for user "shop"') };
  tell(down, password, down, password);
  expect(said).toHaveLength(2);
  expect(said[1]).toContain('password authentication failed');
});

test('a replay from the claims alone does not end an outage', () => {
  const { said, pass, tell } = open();
  tell(down);
  pass(60_000);
  tell({ ...settled, settlement: 'replayed' });
  expect(said).toHaveLength(1);
});

test('a handler’s bug is said with path, key and place, once a minute however often it is met', () => {
  const { said, pass, tell } = open();
  for (let n = 0; n < 100; n++) tell({ ...bug, call: { ...call, key: `k${n}` } });
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^trpc-once: orders\.place with key k0 failed in its handler/);
  expect(said[0]).toMatch(/TypeError: x is not a function\n {2}at .*default-log\.test\.ts/);
  tell({ ...bug, call: { ...call, procedure: 'orders.cancel' } });
  tell({ ...bug, error: new TypeError('y is not a function') });
  expect(said).toHaveLength(3);
  pass(60_000);
  tell(bug);
  expect(said.at(-1)).toContain('(and 99 times more since it was last said)');
});

test('an error that a handler throws on purpose is no news', () => {
  const { said, tell } = open();
  tell({ ...bug, error: new TRPCError({ code: 'TOO_MANY_REQUESTS' }) });
  tell({ ...bug, error: new TRPCError({ code: 'SERVICE_UNAVAILABLE' }) });
  expect(said).toEqual([]);
  tell({ ...bug, error: new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'oops' }) });
  expect(said).toHaveLength(1);
});

test('a claim store that does not answer is said, and that it does again', () => {
  const { said, pass, tell } = open();
  const failed = { type: 'claims-failed', error: new Error('NOAUTH Authentication required.') } as const;
  for (let n = 0; n < 10; n++) {
    tell(failed, { type: 'claims-available', available: false });
    tell({ type: 'claims-available', available: true });
    pass(1_000);
  }
  expect(said).toEqual([
    'trpc-once: the claim store is left alone for a while, and calls go on with Postgres alone: NOAUTH Authentication required.',
    'trpc-once: the claim store answers again',
  ]);
});

test('what an operator must look at is said each time, with path and key', () => {
  const { said, tell } = open();
  const error = new Error('why');
  for (let n = 0; n < 2; n++)
    tell(
      { type: 'misused', call, error },
      { type: 'fault', call, error },
      { type: 'abandoned', call, status: 'INDETERMINATE' },
      { type: 'left-behind', calls: [call] },
    );
  expect(said).toHaveLength(8);
  for (const text of said) expect(text).toContain('orders.place with key k1');
});

test('what is as it should be is not said', () => {
  const { said, tell } = open();
  tell(settled, { type: 'refused', call, refusal: 'IN_PROGRESS' }, { type: 'swept', expired: 5 });
  tell({ type: 'run-again', call, attempt: 1, error: new Error('deadlock') }, { type: 'fenced', call });
  tell({ type: 'abandoned', call, status: 'FAILED' }, { type: 'claims-failed', error: new Error('once') });
  expect(said).toEqual([]);
});
