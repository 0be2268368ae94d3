import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameBody } from './same-body.js';

test.each([
  ['{"a":1,"b":{"c":[1,2],"d":null}}', '{"b":{"d":null,"c":[1,2]},"a":1}'],
  ['[{"a":1,"b":2}]', '[{"b":2,"a":1}]'],
  ['{ "a" : 1 }', '{"a":1}'],
  ['"x"', '"x"'],
])('%s and %s say the same', (one, other) => {
  expect(sameBody(one, other)).toBe(true);
});

test('no body is no body', () => {
  expect(sameBody(null, null)).toBe(true);
  expect(sameBody(null, 'null')).toBe(false);
  expect(sameBody('{}', null)).toBe(false);
});

test.each([
  ['{"a":1}', '{"a":2}'],
  ['{"a":null}', '{}'],
  ['{"a":1}', '{"a":1,"b":1}'],
  ['{"a":1}', '{"b":1}'],
  ['[1,2]', '[2,1]'],
  ['[]', '{}'],
  ['{"0":1}', '[1]'],
  ['1', '"1"'],
  ['{"a":{"b":1}}', '{"a":{"b":2}}'],
  ['{"toString":1}', '{"valueOf":1}'],
  ['{"__proto__":1}', '{"a":1}'],
])('%s and %s differ', (one, other) => {
  expect(sameBody(one, other)).toBe(false);
  expect(sameBody(other, one)).toBe(false);
});

test('any value says the same as itself with its keys turned round', () => {
  const turned = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(turned)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, turned(inner)]),
          )
        : value;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(sameBody(JSON.stringify(value), JSON.stringify(turned(value)))).toBe(true);
    }),
  );
});
