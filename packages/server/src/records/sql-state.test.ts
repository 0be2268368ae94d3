import { describe, expect, test } from 'vitest';
import { NoAnswerError } from '../timing/within.js';
import { isServerVerdict, type SqlFault, sqlFault } from './sql-state.js';

const fromServer = (code: string, severity = 'ERROR') => Object.assign(new Error('no'), { code, severity });
const fromNode = (code: string) => Object.assign(new Error(`connect ${code}`), { code, errno: -1 });

/** Every kind, by codes that Postgres and Node really use. */
const codes: Record<SqlFault, string[]> = {
  serialization: ['40001', '40P01'],
  unprepared: ['26000', '42P05'],
  unique: ['23505'],
  'not-migrated': ['42P01', '3F000', '42703'],
  unavailable: [
    ...['08000', '08001', '08003', '08004', '08006', '08P01'],
    ...['53000', '53100', '53200', '53300', '53400'],
    ...['57P01', '57P02', '57P03', '57P04', '57P05', '58000', '58030', '58P01'],
    ...['25006', '25P03', '25P04', '28000', '28P01', '3D000'],
  ],
  'time-limit': ['55P03', '57014'],
  other: [
    ...['22001', '22P02', '23502', '23503', '23514', '23P01', '25001', '25P01', '25P02'],
    ...['0A000', '40002', '40003', '42501', '42601', 'P0001', 'XX000', '54000'],
  ],
};

describe.each(Object.entries(codes) as [SqlFault, string[]][])('%s', (fault, states) => {
  test.each(states)('%s', (state) => {
    expect(sqlFault(fromServer(state))).toBe(fault);
    // As a wrapper's cause, as deep as ORM and tRPC together put it.
    expect(sqlFault(new Error('orm', { cause: fromServer(state) }))).toBe(fault);
    expect(sqlFault(new Error('trpc', { cause: new Error('orm', { cause: fromServer(state) }) }))).toBe(
      fault,
    );
  });
});

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])('a socket that failed with %s is the connection’s fault', (code) => {
  expect(sqlFault(fromNode(code))).toBe('unavailable');
  expect(sqlFault(Object.assign(new AggregateError([fromNode(code)]), { code }))).toBe('unavailable');
});

test.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'timeout exceeded when trying to connect',
  'Cannot use a pool after calling end on the pool',
  'Query read timeout',
])('pg’s own "%s", which carries no code, is the connection’s fault', (message) => {
  expect(sqlFault(new Error(message))).toBe('unavailable');
});

test('no answer in time is the connection’s fault', () => {
  expect(sqlFault(new NoAnswerError('COMMIT took longer than 10 ms'))).toBe('unavailable');
});

test('what is no database error is other', () => {
  const named = (code: string) => Object.assign(new Error('no'), { code });
  for (const error of [
    new Error('no'),
    named('CONFLICT'),
    named('ABORT'),
    named('P2002'),
    'text',
    null,
    undefined,
    5,
  ])
    expect(sqlFault(error), String(error)).toBe('other');
});

test('an error that is its own cause is looked at and given up', () => {
  const error = new Error('again');
  error.cause = error;
  expect(sqlFault(error)).toBe('other');
});

describe('only the server’s own word that a statement failed, and that it lives on, proves that COMMIT did not happen', () => {
  test.each(['23503', '23505', '40001', '25P02', '42P01', 'P0001', '57014'])(
    'ERROR %s is such a word',
    (code) => {
      expect(isServerVerdict(fromServer(code))).toBe(true);
    },
  );

  test.each([
    ['FATAL', fromServer('57P01', 'FATAL')],
    ['PANIC', fromServer('58030', 'PANIC')],
    ['FATAL with a code that is otherwise harmless', fromServer('40001', 'FATAL')],
    ['a cut connection', new Error('Connection terminated unexpectedly')],
    ['a reset', fromNode('ECONNRESET')],
    ['no answer', new NoAnswerError('COMMIT took longer than 10 ms')],
    ['an error of the program', new TypeError('x is not a function')],
    ['nothing', undefined],
  ])('%s is none', (_, error) => {
    expect(isServerVerdict(error)).toBe(false);
  });

  test('a server that speaks another language has its word taken where the code says enough', () => {
    for (const severity of ['FEHLER', 'ERREUR', 'ОШИБКА', '错误'])
      for (const code of ['23503', '23505', '40001', '40P01', '25P02', '42P01', 'P0001', '22P02'])
        expect(isServerVerdict(fromServer(code, severity)), `${severity} ${code}`).toBe(true);
    for (const code of ['57P01', '25P03', '58030', '53300', '08006', 'XX000', '57014', '40003'])
      expect(isServerVerdict(fromServer(code, 'ВАЖНО')), code).toBe(false);
  });

  test('an ORM’s wrapper around it changes nothing', () => {
    expect(isServerVerdict(new Error('orm', { cause: fromServer('23503') }))).toBe(true);
    expect(isServerVerdict(new Error('orm', { cause: fromServer('57P01', 'FATAL') }))).toBe(false);
  });
});
