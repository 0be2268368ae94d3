import { describe, expect, test } from 'vitest';
import { TransactionMisuseError } from '../transaction-misuse-error.js';
import { type TransactionGuard, transactionGuard } from './transaction-guard.js';

/** Throws what would be told to the sender. */
const told = (guard: TransactionGuard, text: unknown) => () => {
  const refusal = guard.refusal(text);
  if (refusal) throw refusal;
};
const check = (text: unknown) => told(transactionGuard(), text);

/** Ways to write the same statement that Postgres takes for the same. */
const spellings = (statement: string): string[] => {
  const [first, ...rest] = statement.split(' ');
  const tail = rest.map((word) => ` ${word}`).join('');
  return [
    statement,
    statement.toLowerCase(),
    statement.charAt(0).toUpperCase() + statement.slice(1).toLowerCase(),
    `${statement};`,
    `  \t\n\r\f\v${statement} `,
    `-- why\n${statement}`,
    `-- ends with a carriage return\r${statement}`,
    `/* why */${statement}`,
    `/* a /* nested */ one */ ${statement}`,
    `/**/-- and\n/*so*/ ${statement}`,
    `;${statement}`,
    `; ; -- empty\n;${statement}`,
    `${first}/* between */${tail} `,
    `${first}\n${tail}`,
    `SELECT 1; ${statement}`,
    `SELECT 1;\n-- then\n${statement}; SELECT 2`,
    `SELECT 'it''s; fine'; ${statement}`,
    `SELECT E'it\\'s; fine'; ${statement}`,
    `SELECT $$a; b$$, $tag$ $$ ; $tag$; ${statement}`,
    `SELECT "odd;name" FROM t; ${statement}`,
    `SELECT 1 /* ; */; ${statement}`,
    `SELECT '\\'; ${statement}; --'`,
  ];
};

describe('what would end the transaction under the record’s feet is refused, however it is written', () => {
  test.each([
    ...['COMMIT', 'COMMIT WORK', 'COMMIT TRANSACTION', 'COMMIT AND CHAIN', 'END', 'END TRANSACTION'],
    ...['ROLLBACK', 'ROLLBACK WORK', 'ROLLBACK TRANSACTION', 'ROLLBACK AND CHAIN', 'ABORT', 'ABORT WORK'],
    ...["PREPARE TRANSACTION 'x'", "COMMIT PREPARED 'x'", "ROLLBACK PREPARED 'x'"],
    ...['BEGIN', 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'START TRANSACTION'],
  ])('%s', (statement) => {
    for (const text of spellings(statement))
      expect(check(text), JSON.stringify(text)).toThrow(TransactionMisuseError);
  });

  test('the message names the statement and the way out', () => {
    expect(check('  COMMIT  ')).toThrow(/"COMMIT".*throw to roll back, return to commit; savepoints/);
  });
});

describe('everything else is let through', () => {
  test.each([
    ...['SAVEPOINT a', 'RELEASE SAVEPOINT a', 'RELEASE a'],
    ...[
      'ROLLBACK TO a',
      'ROLLBACK TO SAVEPOINT a',
      'ROLLBACK WORK TO SAVEPOINT a',
      'ROLLBACK TRANSACTION TO a',
    ],
  ])('savepoints: %s', (statement) => {
    for (const text of spellings(statement)) expect(check(text), JSON.stringify(text)).not.toThrow();
  });

  test.each([
    'SELECT commit FROM t',
    'SELECT 1 AS commit',
    'COMMENT ON TABLE t IS $$COMMIT$$',
    'UPDATE t SET note = $1',
    'SELECT ended FROM t WHERE begin < $1',
    'committed',
    'endpoint',
    'begins',
    'PREPARE transactions AS SELECT 1',
    'PREPARE transaction_list AS SELECT 1',
    `INSERT INTO log VALUES ('; COMMIT')`,
    `INSERT INTO log VALUES ('it''s ; COMMIT')`,
    `INSERT INTO log VALUES (E'it\\'s ; COMMIT')`,
    'INSERT INTO log VALUES ($$ ; COMMIT; $$)',
    'INSERT INTO log VALUES ($a$ $$ ; COMMIT; $a$)',
    'SELECT "; COMMIT" FROM t',
    'SELECT 1 /* ; COMMIT */',
    'SELECT 1 /* /* ; */ ; COMMIT */',
    'SELECT 1 -- ; COMMIT',
    '-- COMMIT\nSELECT 1',
    '/* COMMIT */ SELECT 1',
    `DO $do$ BEGIN PERFORM 1; END $do$`,
    `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN 1; END $f$`,
    'SELECT a$b$c, 1; SELECT d$b$e',
    'SELECT $1; SELECT $2',
    `SELECT CASE WHEN true THEN 1 END`,
    '',
    ';',
    `'unfinished; COMMIT`,
    '$$unfinished; COMMIT',
    '/* unfinished; COMMIT',
  ])('%j', (text) => {
    expect(check(text)).not.toThrow();
  });

  test('what is no text is not looked into', () => {
    for (const text of [undefined, null, 5, {}]) expect(check(text)).not.toThrow();
  });

  test('a text as long as a bulk insert is looked through in no time', () => {
    const long = `INSERT INTO t VALUES ${"(1, 'a;b'), ".repeat(100_000)}(1, 'a')`;
    const began = performance.now();
    expect(check(long)).not.toThrow();
    expect(performance.now() - began).toBeLessThan(500);
  });
});

test('after the handler returned nothing is let through, whatever it says', () => {
  const guard = transactionGuard();
  expect(told(guard, 'SELECT 1')).not.toThrow();
  guard.end();
  expect(told(guard, 'SELECT 1')).toThrow(TransactionMisuseError);
  expect(told(guard, 'SELECT 1')).toThrow('await every statement before you return');
});

test('the first error of all is remembered, and nobody has to catch it here', async () => {
  const guard = transactionGuard();
  const first = new Error('first');
  let late = (_: Error): void => {};
  const slow = new Promise((_, reject) => {
    late = reject;
  });
  guard.watch(slow);
  guard.watch(Promise.resolve(1));
  await guard.watch(Promise.reject(first)).catch(() => {});
  late(new Error('second'));
  await new Promise(setImmediate);
  expect(guard.firstError()).toBe(first);
});

test('what is watched is handed back as it is', () => {
  const guard = transactionGuard();
  const sent = Promise.resolve(1);
  expect(guard.watch(sent)).toBe(sent);
  expect(guard.watch(undefined)).toBeUndefined();
  expect(guard.firstError()).toBeUndefined();
});
