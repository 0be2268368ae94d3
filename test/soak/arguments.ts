import { parseArgs } from 'node:util';
import type { Plan } from './plan.js';
import { isSabotage, sabotages } from './sabotage.js';

/** What was typed cannot be meant. The message says what can. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const numbers = {
  seed: { least: 0, most: 4_294_967_295, otherwise: 1 },
  servers: { least: 1, most: 16, otherwise: 3 },
  'in-flight': { least: 4, most: 5_000, otherwise: 240 },
  connections: { least: 1, most: 50, otherwise: 12 },
  calm: { least: 1, most: 600, otherwise: 45 },
} as const;

export const usage = `Runs several servers under a few hundred operations while everything around them breaks, then holds every answer
that any client got against the database.

  npm run soak -- [options]

  --minutes N      how long faults are injected, fractions too (1)
  --seed N         what is drawn: operations and faults (${numbers.seed.otherwise})
  --servers N      server processes (${numbers.servers.otherwise})
  --in-flight N    operations under way at any time (${numbers['in-flight'].otherwise})
  --connections N  database connections of each server (${numbers.connections.otherwise})
  --calm N         seconds that everything has to end in once the faults are over (${numbers.calm.otherwise})
  --sabotage NAME  put a fault in on purpose, to see it found:
${Object.entries(sabotages)
  .map(([name, what]) => `                     ${name.padEnd(10)} ${what}`)
  .join('\n')}
  --keep           leave the logs, whatever comes of it
  --help           this

Exit code: 0 when the promise was kept, 1 for any violation, 2 for arguments that make no sense.`;

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): Plan | 'help' {
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
    chaosMs: minutes * 60_000,
    seed: whole('seed', values.seed),
    servers: whole('servers', values.servers),
    inFlight: whole('in-flight', values['in-flight']),
    connections: whole('connections', values.connections),
    calmMs: whole('calm', values.calm) * 1_000,
    keep: values.keep ?? false,
    ...(sabotage !== undefined && { sabotage }),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ minutes: text, seed: text, servers: text, 'in-flight': text, connections: text, calm: text },
        sabotage: text,
        keep: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new ArgumentError((error as Error).message);
  }
}

function whole(name: keyof typeof numbers, text: string | undefined): number {
  const { least, most, otherwise } = numbers[name];
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new ArgumentError(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`);
  return number;
}
