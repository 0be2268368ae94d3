import { parseArgs } from 'node:util';
import { ArgumentError } from '../soak/arguments.js';
import type { Plan } from './plan.js';
import { isSabotage, sabotages } from './sabotage.js';

/** Between two quiet points: enough for things to pile up, few enough that a finding is not buried. About a minute. */
const STEPS_IN_ROUND = 80;

export const usage = `Lets visitors loose on the shop's page in real browsers, breaks and kills whatever they touch, then holds everything
that was sent and shown against the database.

  npm run soak:page -- [options]

  --minutes N      how long new rounds are begun, fractions too (1); a round takes about one
  --seed N         what they do (1)
  --visitors N     browser profiles, each with both accounts (2)
  --sabotage NAME  put a fault into the pages on purpose, to see it found:
${Object.entries(sabotages)
  .map(([name, what]) => `                     ${name.padEnd(14)} ${what}`)
  .join('\n')}
  --quiet          do not print every step
  --help           this

Exit code: 0 when the promise was kept, 1 for any violation, 2 for arguments that make no sense.`;

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): (Plan & { readonly quiet: boolean }) | 'help' {
  const values = parsed(args);
  if (values.help) return 'help';
  const minutes = Number(values.minutes ?? '1');
  if (!(minutes > 0 && minutes <= 10_000)) throw new ArgumentError('--minutes takes a number above 0');
  const { sabotage } = values;
  if (sabotage !== undefined && !isSabotage(sabotage))
    throw new ArgumentError(
      `--sabotage takes one of ${Object.keys(sabotages).join(', ')}, not "${sabotage}"`,
    );
  return {
    actMs: minutes * 60_000,
    stepsInRound: STEPS_IN_ROUND,
    seed: whole('seed', values.seed ?? '1', 4_294_967_295),
    visitors: whole('visitors', values.visitors ?? '2', 8),
    quiet: values.quiet ?? false,
    ...(sabotage !== undefined && { sabotage }),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ minutes: text, seed: text, visitors: text, sabotage: text, quiet: flag },
        help: { ...flag, short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new ArgumentError((error as Error).message);
  }
}

function whole(name: string, text: string, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > most || (name === 'visitors' && number === 0))
    throw new ArgumentError(`--${name} takes a whole number up to ${most}, not "${text}"`);
  return number;
}
