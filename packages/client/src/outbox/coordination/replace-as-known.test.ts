import { expect, test } from 'vitest';
import { textStorage } from '../../testing/world.js';
import { replaceAsKnown } from './replace-as-known.js';

test('a record that somebody else removed is not brought back, and one that they changed is replaced', async () => {
  const texts = new Map([['id', 'theirs']]);
  const storage = textStorage(texts);
  expect(await replaceAsKnown(storage, 'id', 'one', 'two')).toBe(true);
  expect(texts.get('id')).toBe('two');
  texts.delete('id');
  expect(await replaceAsKnown(storage, 'id', 'two', 'three')).toBe(false);
  expect(texts.size).toBe(0);
});
