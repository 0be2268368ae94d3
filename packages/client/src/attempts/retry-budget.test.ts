import { expect, test } from 'vitest';
import { FakeClock, settled } from '../testing/fake-clock.js';
import { Bell } from './bell.js';
import { Closing } from './closing.js';
import { RetryBudget, retryBudgetOf } from './retry-budget.js';

const HOUR = 3_600_000;

function budgetOf(random = () => 0.5) {
  const clock = new FakeClock();
  const budget = new RetryBudget(clock, random);
  const closing = new Closing();
  const start = clock.now();
  const admitted: number[] = [];
  const turn = (urgent = false, hurry = new Bell(), waitMs = HOUR) =>
    budget
      .turn({ deadline: () => start + waitMs, closing, hurry }, urgent)
      .then((mine) => mine && admitted.push(clock.now() - start));
  /** The origin answers nothing any more. */
  const outage = () => {
    for (let failures = 0; failures < 100; failures += 1) budget.ended(false, false);
  };
  return { clock, budget, closing, turn, outage, admitted };
}

test('while answers keep up with failures, whoever repeats has its turn at once', async () => {
  const { turn, budget, admitted } = budgetOf();
  for (let round = 0; round < 500; round += 1) {
    await turn();
    budget.ended(round % 2 === 0, true);
  }
  expect(admitted.length).toBe(500);
});

test('in an outage there is one attempt at a time, and more and more time between them, up to 10 s', async () => {
  const { turn, budget, outage, admitted, clock } = budgetOf();
  outage();
  for (let operation = 0; operation < 3_000; operation += 1) void turn();
  for (let probe = 1; probe <= 8; probe += 1) {
    await clock.advance(15_000);
    expect(admitted.length).toBe(probe);
    budget.ended(false, true);
  }
  const began = [...admitted];
  // Each gap without the 15 s in which the probe was under way.
  expect(began.map((at, index) => at - index * 15_000)).toEqual([
    1_500, 2_000, 3_000, 5_000, 7_750, 7_750, 7_750, 7_750,
  ]);
});

test('first attempts that fail in an outage do not put the next probe off', async () => {
  const { turn, budget, outage, admitted, clock } = budgetOf();
  outage();
  void turn();
  for (let second = 0; second < 3; second += 1) {
    budget.ended(false, false);
    await clock.advance(1_000);
  }
  expect(admitted).toEqual([1_500]);
});

test('after an outage as many go at once as answers have come: twice as many each time', async () => {
  const { turn, budget, outage, admitted, clock } = budgetOf();
  outage();
  for (let operation = 0; operation < 100; operation += 1) void turn();
  await clock.advance(2_000);
  const rounds = [admitted.length];
  for (let round = 0; round < 5; round += 1) {
    const underWay = rounds.at(-1)!;
    const before = admitted.length;
    for (let answer = 0; answer < underWay; answer += 1) budget.ended(true, true);
    await settled();
    rounds.push(admitted.length - before);
  }
  expect(rounds).toEqual([1, 1, 2, 4, 8, 16]);
});

test('the answer to a first attempt ends an outage as well', async () => {
  const { turn, budget, outage, admitted } = budgetOf();
  outage();
  void turn();
  await settled();
  expect(admitted).toEqual([]);
  budget.ended(true, false);
  await settled();
  expect(admitted).toEqual([0]);
});

test('an attempt that tells nothing of the server changes nothing', async () => {
  const { turn, budget, outage, admitted, clock } = budgetOf();
  outage();
  void turn();
  void turn();
  await clock.advance(2_000);
  budget.ended(undefined, true);
  await settled();
  // The next probe needs no new wait: the last one did not fail.
  expect(admitted).toEqual([1_500, 2_000]);
});

test('whoever is in a hurry goes first, a second after the last failure at the earliest', async () => {
  const { turn, outage, admitted, clock, budget } = budgetOf();
  outage();
  for (let probe = 0; probe < 6; probe += 1) {
    void turn();
    await clock.advance(60_000);
    budget.ended(false, true);
  }
  const before = admitted.length;
  const hurry = new Bell();
  let hurried = 0;
  void turn();
  void turn(false, hurry).then(() => {
    hurried = clock.now();
  });
  hurry.ring();
  await clock.advance(999);
  expect(admitted.length).toBe(before);
  await clock.advance(1);
  expect(admitted.length).toBe(before + 1);
  expect(hurried).toBe(clock.now());
});

test('whoever hurries again and again makes no more than one attempt a second', async () => {
  const { turn, outage, admitted, clock, budget } = budgetOf();
  outage();
  for (let operation = 0; operation < 50; operation += 1) void turn(true);
  for (let tenth = 0; tenth < 100; tenth += 1) {
    const before = admitted.length;
    await clock.advance(100);
    if (admitted.length > before) budget.ended(false, true);
  }
  expect(admitted.length).toBeLessThanOrEqual(10);
  expect(admitted.length).toBeGreaterThanOrEqual(9);
});

test('a turn that does not come before the deadline is given up, and leaves no timer', async () => {
  const { turn, outage, clock, admitted } = budgetOf();
  outage();
  const given = turn(false, new Bell(), 500);
  await clock.advance(501);
  expect(await given).toBe(false);
  expect(admitted).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('closing gives every turn up at once, and leaves no timer', async () => {
  const { turn, outage, clock, closing } = budgetOf();
  outage();
  const turns = [turn(), turn(true), turn()];
  closing.close();
  expect(await Promise.all(turns)).toEqual([false, false, false]);
  expect(await turn()).toBe(false);
  expect(clock.pending).toBe(0);
});

test('a clock that is set back holds nobody up', async () => {
  let now = 1_000_000;
  const clock = new FakeClock();
  const budget = new RetryBudget({ now: () => now, after: clock.after.bind(clock) }, () => 0.5);
  for (let failures = 0; failures < 100; failures += 1) budget.ended(false, false);
  now -= HOUR;
  const pace = { deadline: () => now + HOUR, closing: new Closing(), hurry: new Bell() };
  expect(await budget.turn(pace, false)).toBe(true);
});

test('all clients of an origin share one budget, and no two origins do', () => {
  const clock = new FakeClock();
  const of = (url: string) => retryBudgetOf(url, clock, Math.random);
  expect(of('https://shop.example/trpc')).toBe(of('https://SHOP.example/other?q'));
  expect(of('/trpc')).toBe(of('/api/trpc'));
  expect(of('https://shop.example/trpc')).not.toBe(of('https://shop.example:8443/trpc'));
  expect(of('https://shop.example')).not.toBe(of('/trpc'));
  expect(retryBudgetOf('/trpc', new FakeClock(), Math.random)).not.toBe(of('/trpc'));
});
