import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal, readJournal } from './journal.js';
import type { Told } from './told.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const told = (reference: string): Told => ({
  reference,
  key: `key of ${reference}`,
  outcome: { kind: 'other', message: 'two\nlines' },
});

it('what was written is known to the next process', () => {
  const path = join(directory, 'journal');
  const first = new Journal(path);
  first.write(told('a'));
  expect([first.has('a'), first.has('b')]).toEqual([true, false]);
  first.close();
  const second = new Journal(path);
  expect([second.has('a'), second.has('b')]).toEqual([true, false]);
  second.write(told('b'));
  second.close();
  expect(readJournal(path)).toEqual([told('a'), told('b')]);
});

it('a line without its end is not there', () => {
  const path = join(directory, 'journal');
  const journal = new Journal(path);
  journal.write(told('a'));
  journal.close();
  appendFileSync(path, '{"reference":"b');
  expect(readJournal(path)).toEqual([told('a')]);
});

it('where nobody wrote anything there is nothing', () => {
  expect(readJournal(join(directory, 'nowhere'))).toEqual([]);
});
