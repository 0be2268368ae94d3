import { expect, test } from 'vitest';
import { textStorage } from '../testing/world.js';
import { Written } from './written.js';

test('a record that somebody else removed is not brought back, and one that they changed is replaced', async () => {
  const texts = new Map<string, string>();
  const written = new Written(textStorage(texts), true);
  await written.insert('id', 'one');
  texts.set('id', 'theirs');
  expect(await written.replace('id', 'two')).toBe(true);
  expect(texts.get('id')).toBe('two');
  texts.delete('id');
  expect(await written.replace('id', 'three')).toBe(false);
  expect(texts.size).toBe(0);
});

test('where nobody else can be, one write is one write', async () => {
  const calls: string[] = [];
  const storage = textStorage(new Map(), {
    get: async () => {
      calls.push('get');
      return undefined;
    },
    swap: async () => {
      calls.push('swap');
      return true;
    },
    set: async () => void calls.push('set'),
  });
  const written = new Written(storage, false);
  await written.insert('id', 'one');
  await written.replace('id', 'two');
  expect(calls).toEqual(['set', 'set']);
});
