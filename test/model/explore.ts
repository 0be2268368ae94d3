import { steps } from './protocol.js';
import type { Mistake, Step } from './step.js';
import { initialWorld, type World } from './world.js';

export interface Explored {
  /** Different worlds that were reached. */
  readonly worlds: number;
  /** Every step that was taken anywhere, without its attempt's number. */
  readonly stepNames: ReadonlySet<string>;
  /** The shortest course of events that breaks a clause of the promise. */
  readonly violation: { readonly clause: string; readonly course: readonly string[] } | undefined;
}

/** Visits every world that any order of steps can reach, breadth first. */
export function explore(attempts: number, mistake: Mistake = 'none'): Explored {
  const start = initialWorld(attempts);
  const seen = new Set([nameOf(start)]);
  const stepNames = new Set<string>();
  let frontier: { world: World; course: Course }[] = [{ world: start, course: undefined }];
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const { world, course } of frontier) {
      for (const step of steps(world, mistake)) {
        stepNames.add(step.name.replaceAll(/\d+/g, 'n'));
        const longer: Course = { step: step.name, before: course };
        const clause = broken(world, step);
        if (clause) return { worlds: seen.size, stepNames, violation: { clause, course: courseOf(longer) } };
        const name = nameOf(step.world);
        if (seen.has(name)) continue;
        seen.add(name);
        next.push({ world: step.world, course: longer });
      }
    }
    frontier = next;
  }
  return { worlds: seen.size, stepNames, violation: undefined };
}

/** Which clause of the promise a step breaks, if any. */
function broken(before: World, { world }: Step): string | undefined {
  if (before.record !== null && world.record !== before.record) return 'at most one settled effect';
  for (const [n, { answer }] of world.attempts.entries()) {
    if (typeof answer === 'object' && answer.outcomeOf !== world.record)
      return 'every caller that gets a terminal outcome gets the same one';
    const denies = typeof answer === 'string' && answer !== 'unknown';
    if (denies && world.record === n) return 'a lost answer is never guessed';
  }
  if (world.redis && 'settled' in world.redis && world.redis.settled !== world.record)
    return 'Redis is told only what the record says';
  return undefined;
}

/**
 * One name for all worlds that differ only in which attempt is which, and in who was told an outcome: that it is the
 * record's was looked at when it was told, and the record does not change. It leaves a hundredth of the worlds.
 */
function nameOf({ attempts, record, hold, orphan, redis }: World): string {
  const names = attempts.map(({ stage, claim, cut, answer }, n) => {
    const over = stage === 'done' || stage === 'crashed';
    const denied = typeof answer === 'string' && answer !== 'unknown';
    return [
      ...[stage, over ? claim !== 'none' : claim, cut && !over, denied],
      ...[record === n, hold === n, orphan?.by === n && orphan.committing, orphan?.by === n],
      redis && ('heldBy' in redis ? redis.heldBy === n && 'held' : redis.settled === n && 'settled'),
    ].join();
  });
  return names.sort().join('|');
}

type Course = { readonly step: string; readonly before: Course } | undefined;

function courseOf(course: Course): string[] {
  const names: string[] = [];
  for (let at = course; at; at = at.before) names.unshift(at.step);
  return names;
}
