import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noDamage } from './mishaps/damage.js';
import { planDrill } from './plan.js';
import { progressLine, showProgress } from './progress.js';
import type { Standing } from './run-drill.js';
import { AnswerTally } from './servers/answer-tally.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const plan = planDrill({ seed: 1, orders: 60, clients: 3 });
const network = { requests: 90, faults: { pass: 50 } } as Standing['network'];
const standing = (): Standing => ({ known: 12, network, tally: new AnswerTally(), damage: noDamage() });

function screen(isTTY: boolean, columns: number) {
  const written: string[] = [];
  return { isTTY, columns, write: (text: string) => written.push(text) > 0, written };
}

it('a terminal shows one line that changes and never wraps, and is left empty', () => {
  const out = screen(true, 30);
  const progress = showProgress(out, plan, standing);
  vi.advanceTimersByTime(250);
  progress.stop();
  vi.advanceTimersByTime(5_000);
  const line = '\r\u001b[K  0 s · 12 of 60 operations · ';
  expect(out.written).toEqual([line.slice(0, 33), line.slice(0, 33), '\r\u001b[K']);
});

it('a file gets a line every two seconds', () => {
  const out = screen(false, 0);
  const progress = showProgress(out, plan, standing);
  vi.advanceTimersByTime(4_500);
  progress.stop();
  expect(out.written).toEqual([
    '  2 s · 12 of 60 operations · 90 attempts · 40 faults · 0 replays\n',
    '  4 s · 12 of 60 operations · 90 attempts · 40 faults · 0 replays\n',
  ]);
});

it('tells what was killed and cut, once something was', () => {
  const damage = { ...noDamage(), serversKilled: 2, clientsKilled: 1, connectionsCut: 9 };
  expect(progressLine(plan, { ...standing(), damage }, 12_400)).toMatch(
    /^12 s · .* · killed: servers 2, clients 1 · cut: 9$/,
  );
});
