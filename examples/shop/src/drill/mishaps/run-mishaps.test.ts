import { expect, it } from 'vitest';
import { Milestones } from './milestones.js';
import { runMishaps } from './run-mishaps.js';

const never = new Promise<void>(() => {});

it('a mishap comes when so many operations have their outcome, each counted once', async () => {
  const milestones = new Milestones();
  const happened: string[] = [];
  const ran = runMishaps({
    schedule: [
      { mishap: 'server-killed', at: 0.5, afterMs: 3 },
      { mishap: 'redis-away', at: 0.75, afterMs: 4 },
    ],
    actions: {
      'server-killed': async (afterMs) => void happened.push(`killed ${afterMs} at ${milestones.count}`),
      'redis-away': async (afterMs) => void happened.push(`away ${afterMs} at ${milestones.count}`),
    },
    milestones,
    of: 4,
    over: never,
  });
  for (const reference of ['a', 'a', 'b', 'b', 'c']) {
    milestones.add(reference);
    await new Promise(setImmediate);
  }
  await ran;
  expect(happened).toEqual(['killed 3 at 2', 'away 4 at 3']);
});

it('what has not happened when all is over does not happen', async () => {
  const milestones = new Milestones();
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ran = runMishaps({
    schedule: [{ mishap: 'server-killed', at: 0.5, afterMs: 0 }],
    actions: { 'server-killed': () => Promise.reject(new Error('it happened')) },
    milestones,
    of: 4,
    over,
  });
  end();
  await ran;
});
