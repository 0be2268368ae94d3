import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { effects, heldHandler, oneEuro, openBank, send } from '../bank/index.js';

let collect = (): void => {};
beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
});
afterAll(() => setFlagsFromString('--no-expose-gc'));

async function heapMegabytes(): Promise<number> {
  // What was let go a moment ago is collected in a second round.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Almost as long as the bank takes; of 150 operations it is 27 MB, were one copy of each kept. */
const body = 'x'.repeat(180_000);
const allowedMegabytes = 12;

test('a process keeps nothing of the bodies of operations that are over', async () => {
  await using bank = await openBank();
  const echo = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const key = `${name}-${n}`;
      // A text of its own each time, or they would be one in memory too.
      expect((await send(bank.url, 'echo', `${key} ${body}`, { key })).status).toBe(200);
    }
  };
  await echo('warm', 30);
  const before = await heapMegabytes();
  await echo('more', 150);
  expect((await heapMegabytes()) - before).toBeLessThan(allowedMegabytes);
  expect(await effects(bank.db)).toBe(180);
});

test('waiters are bounded in number, and nothing is kept of those that went away', async () => {
  const handler = heldHandler();
  await using bank = await openBank({
    hooks: { before: ({ key }) => (key === 'k1' ? handler.before() : undefined) },
    once: { whenInProgress: { waitMs: 1_000, maxWaiters: 20 } },
  });
  const first = send(bank.url, 'echo', body, { key: 'k1' });
  await handler.inside;
  const round = async (): Promise<number[]> => {
    const asked = Array.from({ length: 80 }, () => send(bank.url, 'echo', body, { key: 'k1' }));
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  const beganAt = performance.now();
  await round();
  expect(performance.now() - beganAt).toBeLessThan(20_000);
  const before = await heapMegabytes();
  for (let n = 0; n < 2; n++) expect(new Set(await round())).toEqual(new Set([409]));
  expect((await heapMegabytes()) - before).toBeLessThan(allowedMegabytes);
  // Whoever comes beyond the limit is told at once, and calls with other keys are none of it.
  expect((await send(bank.url, 'transfer', oneEuro)).status).toBe(200);
  handler.goOn();
  expect((await first).status).toBe(200);
});
