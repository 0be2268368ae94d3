import { expect, test } from 'vitest';
import { OutboxStorageError } from '../errors/outbox-storage-error.js';
import { settled } from '../testing/fake-clock.js';
import { call, lost, textStorage, watched, world } from '../testing/world.js';

/** A storage that takes its time with the first write, until a test ends it. */
function slowly() {
  let end: (error?: Error) => void = () => {};
  const written = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  written.catch(() => {});
  const it = world();
  const outbox = it.open({
    storage: textStorage(it.texts, {
      async set(id, text) {
        await written;
        it.texts.set(id, text);
      },
    }),
  });
  return { ...it, outbox, end };
}

test('a wait begins when the operation is kept: nobody is told that it is before', async () => {
  for (const waitMs of [0, 50]) {
    const { outbox, end, clock, told } = slowly();
    const seen = watched(outbox.submit(call({ waitMs })));
    await clock.advance(1_000);
    expect(seen.ended).toBe(false);
    end();
    await settled();
    expect(seen.error).toMatchObject({ name: 'OutcomeUnknownError', reason: 'wait-over' });
    // And hears of the outcome like everybody who did not wait.
    expect(told.length).toBe(1);
    await outbox.close();
  }
});

test('whoever gave up before the storage refused is told that nothing was sent', async () => {
  for (const waitMs of [0, 10_000]) {
    const abort = new AbortController();
    const { outbox, end, clock, sent } = slowly();
    const seen = watched(outbox.submit(call({ waitMs, signal: abort.signal })));
    await clock.advance(1_000);
    abort.abort();
    await settled();
    expect(seen.ended).toBe(false);
    end(new OutboxStorageError('IndexedDB', 'quota', 'it is full'));
    await settled();
    expect(seen.error).toMatchObject({ name: 'NotSentError', reason: 'storage' });
    expect((seen.error as Error).message).toContain('IndexedDB: it is full');
    expect(sent).toEqual([]);
  }
});

test('whoever stops waiting between two attempts is told what the last one came to', async () => {
  const { open, script, clock } = world();
  script.push(() => lost);
  const retry = { minDelayMs: 20_000, maxDelayMs: 20_000 };
  const seen = watched(open().submit(call({ waitMs: 1_000, retry })));
  await clock.advance(1_000);
  expect((seen.error as Error).message).toMatch(/wait-over, attempts: 1; the last attempt: network\)/);
});
