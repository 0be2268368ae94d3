import { expect, test } from 'vitest';
import { type Injected, type Lane, runLane } from './lane.js';

async function kindsOf(seed: number, count: number): Promise<string[]> {
  const stop = new AbortController();
  const noted: Injected[] = [];
  let injected = 0;
  const fault = (kind: string, weight: number) => ({
    kind,
    weight,
    async inject() {
      injected++;
      if (injected === count) stop.abort();
    },
  });
  const lane: Lane = { name: 'any', pauseMs: [0, 0], faults: [fault('rare', 1), fault('often', 9)] };
  await runLane(lane, { seed, signal: stop.signal, note: (one) => noted.push(one) });
  expect(noted.every(({ to }) => Number.isFinite(to))).toBe(true);
  return noted.map(({ kind }) => kind);
}

test('a lane draws the same faults for the same seed, by their weights, until it is stopped', async () => {
  const kinds = await kindsOf(1, 200);
  expect(kinds).toHaveLength(200);
  expect(await kindsOf(1, 200)).toEqual(kinds);
  expect(await kindsOf(2, 200)).not.toEqual(kinds);
  const rare = kinds.filter((kind) => kind === 'rare').length;
  expect(rare).toBeGreaterThan(5);
  expect(rare).toBeLessThan(45);
});

test('a lane that is stopped puts right what it has broken before it returns', async () => {
  const stop = new AbortController();
  let broken = false;
  const lane: Lane = {
    name: 'any',
    pauseMs: [0, 0],
    faults: [
      {
        kind: 'slow to mend',
        weight: 1,
        async inject() {
          broken = true;
          stop.abort();
          await new Promise((resolve) => setTimeout(resolve, 20));
          broken = false;
        },
      },
    ],
  };
  await runLane(lane, { seed: 1, signal: stop.signal, note: () => {} });
  expect(broken).toBe(false);
});
