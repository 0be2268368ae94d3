import { parseArgs } from 'node:util';
import { ArgumentError } from '../arguments.js';
import { appSabotages, isAppSabotage } from './app-sabotage.js';
import type { AppsPlan } from './run-apps.js';

export const appsUsage = `Runs a fleet of processes with the client library: they share outboxes or have their own, call, join, sign in
and out, and are killed, frozen and started again over a network that fails; then holds what each had noted against the database.

  npm run soak -- apps [options]

  --minutes N      how long faults are injected, fractions too (1)
  --seed N         what is drawn: operations, steps and faults (1)
  --fleet NAME     small (4 processes, 3 outboxes) or full (8 processes, 5 outboxes) (full)
  --calm N         seconds that everything has to end in once the faults are over (90)
  --sabotage NAME  put a fault in on purpose, to see it found:
${Object.entries(appSabotages)
  .map(([name, { what }]) => `                     ${name.padEnd(18)} ${what}`)
  .join('\n')}

Exit code: 0 when the promise was kept, 1 for any violation, 2 for arguments that make no sense.`;

/** @throws ArgumentError */
export function readAppsArguments(args: readonly string[]): AppsPlan | 'help' {
  const text = { type: 'string' } as const;
  let values: { readonly [name: string]: string | boolean | undefined };
  try {
    const flags = { help: { type: 'boolean', short: 'h' } } as const;
    const options = { minutes: text, seed: text, fleet: text, calm: text, sabotage: text, ...flags };
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ArgumentError((error as Error).message);
  }
  if (values['help']) return 'help';
  const number = (name: string, otherwise: number) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value >= 0 && value <= 4_294_967_295)) throw new ArgumentError(`--${name} takes a number from 0`);
    return value;
  };
  const { fleet = 'full', sabotage } = values;
  if (fleet !== 'small' && fleet !== 'full') throw new ArgumentError('--fleet is small or full');
  if (sabotage !== undefined && !isAppSabotage(String(sabotage)))
    throw new ArgumentError(`--sabotage takes one of ${Object.keys(appSabotages).join(', ')}`);
  return {
    chaosMs: number('minutes', 1) * 60_000,
    seed: number('seed', 1),
    calmMs: number('calm', 90) * 1_000,
    fleet,
    sabotage: sabotage as AppsPlan['sabotage'],
  };
}
