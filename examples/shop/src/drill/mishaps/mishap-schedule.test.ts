import { expect, it } from 'vitest';
import { type Mishap, mishapSchedule } from './mishap-schedule.js';

const mishaps: Mishap[] = [
  'server-killed',
  'server-killed',
  'postgres-cut',
  'redis-away',
  'commit-unanswered',
];

it('the same seed gives the same mishaps at the same points, and another seed others', () => {
  expect(mishapSchedule(1, mishaps)).toEqual(mishapSchedule(1, mishaps));
  expect(mishapSchedule(2, mishaps)).not.toEqual(mishapSchedule(1, mishaps));
});

it('all of them come, one after the other, before the run is nearly over', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const schedule = mishapSchedule(seed, mishaps);
    expect(schedule.map(({ mishap }) => mishap).sort()).toEqual([...mishaps].sort());
    const points = schedule.map(({ at }) => at);
    expect(points).toEqual([...points].sort((one, other) => one - other));
    expect(points[0]).toBeGreaterThan(0);
    expect(points.at(-1)).toBeLessThan(0.86);
  }
});
