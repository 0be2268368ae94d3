import { expect, test } from 'vitest';
import { explore } from './explore.js';
import type { Mistake } from './step.js';

for (const attempts of [1, 2, 3])
  test(`no order of steps, crashes and losses of ${attempts} attempt${attempts > 1 ? 's' : ''} breaks the promise`, () => {
    const { violation, worlds } = explore(attempts);
    expect(violation).toBeUndefined();
    expect(worlds).toBeGreaterThan(10 ** attempts);
  });

test('the exploration reaches every kind of step', () => {
  const { stepNames } = explore(2);
  for (const name of [
    'n crashes',
    'redis forgets',
    'the server commits the transaction of n',
    'the server ends the transaction of n',
    'n is cut off',
    'a word of n takes the claim',
    'n goes on without redis',
    'n claims',
    'n replays from redis',
    'n is refused by the claim',
    'n is told to wait',
    'n looks past an old claim',
    'n sees no record',
    'n finds the record',
    'n begins',
    'n begins in an old snapshot',
    'n is refused by the hold',
    'n is held off by one that only looks',
    'n is cut off while it begins',
    'n ran',
    'n failed',
    'n runs again',
    'n lost its connection',
    'n is cut off before it commits',
    'n finds no other',
    'n finds another',
    'n cannot look for another',
    'n sends COMMIT to nobody',
    'n is fenced',
    'n reads what fenced it',
    'n commits',
    'n hears of its commit',
    'n sends COMMIT into the dark',
    'n does not hear of its commit',
    'n is held off finding out',
    'n gives up finding out',
    'n finds out',
    'n finds out that nothing committed',
    'n releases',
    'n cannot release',
    'n tells redis',
    'n cannot tell redis',
  ])
    expect(stepNames).toContain(name);
});

const mistakes: Record<Exclude<Mistake, 'none'>, string> = {
  'look-up-without-hold': 'a lost answer is never guessed',
  'guess-released': 'a lost answer is never guessed',
  'look-up-in-an-old-snapshot': 'a lost answer is never guessed',
  'no-hold': 'a lost answer is never guessed',
  'no-fence': 'at most one settled effect',
  'sweep-before-retention': 'at most one settled effect',
  'tell-before-commit': 'Redis is told only what the record says',
  'answer-from-the-handler': 'every caller that gets a terminal outcome gets the same one',
};

for (const [mistake, clause] of Object.entries(mistakes))
  test(`the exploration would notice the mistake "${mistake}"`, () => {
    const { violation } = explore(2, mistake as Mistake);
    expect(violation?.clause).toBe(clause);
    expect(violation?.course.length).toBeGreaterThan(2);
  });
