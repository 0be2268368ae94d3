import { expect, test, vi } from 'vitest';
import { call, rejection, textStorage, world } from '../testing/world.js';

test('a closed outbox does not open its storage again, whatever it is asked', async () => {
  const it = world();
  let reads = 0;
  const texts = textStorage(it.texts);
  const entries = () => {
    reads += 1;
    return texts.entries();
  };
  const outbox = it.open({ storage: { ...texts, entries } });
  await outbox.list();
  await outbox.close();
  const before = reads;
  expect(await rejection(outbox.submit(call({ intent: 'i' })))).toMatchObject({
    name: 'NotSentError',
    reason: 'closed',
  });
  expect(await rejection(outbox.submit(call()))).toMatchObject({ name: 'NotSentError', reason: 'closed' });
  for (const ask of [outbox.list(), outbox.resume(), outbox.wait('k'), outbox.dismiss('k')])
    expect((await rejection(ask)).message).toContain('closed');
  expect(reads).toBe(before);
});

test.each<[what: string, off: unknown]>([
  ['throws', () => expect.fail('already gone')],
  ['is none', Promise.resolve(() => {})],
])('an onWake whose end %s keeps nothing open', async (_, off) => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  const it = world();
  let closed = false;
  const close = async () => {
    closed = true;
  };
  const storage = textStorage(it.texts, { close });
  const outbox = it.open({ storage, onWake: (() => off) as () => () => void });
  await outbox.close();
  expect(closed).toBe(true);
  expect(told).toHaveBeenCalledOnce();
  told.mockRestore();
});
