import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rows of docs/cases.md, by the number of their case. */
const rows = new Map(
  [...readFileSync(`${root}docs/cases.md`, 'utf8').matchAll(/^\| (\d+) \|[^|]*\|([^|]*)\|$/gm)].map(
    ([, number, held]) => [Number(number), (held as string).trim()] as const,
  ),
);
/** Whoever closes one of these names its test, and takes it out of here. */
const open: number[] = [];

test('every case up to 58 has its row, and none is open that is not known to be', () => {
  expect([...rows.keys()]).toEqual(Array.from({ length: 58 }, (_, n) => n + 1));
  expect([...rows].filter(([, held]) => held === 'open').map(([number]) => number)).toEqual(open);
});

describe('the tests that a row names are there:', () => {
  for (const [number, held] of rows)
    if (!open.includes(number))
      test(`case ${number}`, () => {
        const files = held.split('; ');
        for (const named of files) {
          const [, file, words] = /^`([^`]+)`((?: "[^"]+")+)$/.exec(named) ?? expect.fail(named);
          expect(existsSync(root + file), file).toBe(true);
          const source = readFileSync(root + file, 'utf8');
          for (const [, name] of (words as string).matchAll(/"([^"]+)"/g))
            expect(source.includes(name as string), `"${name}" in ${file}`).toBe(true);
        }
      });
});
