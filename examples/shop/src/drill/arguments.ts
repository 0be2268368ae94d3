import { parseArgs } from 'node:util';

export interface DrillArguments {
  readonly seed: number;
  readonly orders: number;
  readonly clients: number;
  /** Start a Postgres and a Redis, where DATABASE_URL and REDIS_URL name none. */
  readonly services: boolean;
  /** Leave the shop serving after a good drill. */
  readonly serve: boolean;
  readonly help: boolean;
}

/** What was typed cannot be meant. The message says what can. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const numbers = {
  seed: { least: 0, most: 4_294_967_295, otherwise: 1 },
  orders: { least: 1, most: 3_000, otherwise: 300 },
  clients: { least: 1, most: 64, otherwise: 6 },
} as const;

export const usage = `Places orders through a network that misbehaves, then counts in the database what happened.

  npm start -- [options]

  --seed N      which faults befall which request, and all else that is drawn (${numbers.seed.otherwise})
  --orders N    how many orders are placed, ${numbers.orders.least} to ${numbers.orders.most} (${numbers.orders.otherwise})
  --clients N   by how many clients, ${numbers.clients.least} to ${numbers.clients.most} (${numbers.clients.otherwise})
  --services    on a real Postgres and Redis, started for the drill
  --no-serve    end after the table, instead of serving the shop
  --help        this

  DATABASE_URL, REDIS_URL   use these instead; the drill keeps to a schema and a key prefix of its own
  PORT                      where to serve the shop afterwards (3000, or a free port where that is taken)

Exit code: 0 when every operation took effect once, 1 when anything is off, 2 for arguments that make no sense.`;

/** @throws ArgumentError */
export function readArguments(args: readonly string[]): DrillArguments {
  const values = parsed(args);
  return {
    seed: whole('seed', values.seed),
    orders: whole('orders', values.orders),
    clients: whole('clients', values.clients),
    services: values.services ?? false,
    serve: !(values['no-serve'] ?? false),
    help: values.help ?? false,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        orders: { type: 'string' },
        clients: { type: 'string' },
        services: { type: 'boolean' },
        'no-serve': { type: 'boolean' },
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

/**
 * Where the shop is to be served: `port`, which may not be another one where PORT asked for it by name.
 * @throws ArgumentError
 */
export function readPort(text: string | undefined): { readonly port: number; readonly asked: boolean } {
  if (text === undefined || text === '') return { port: 3_000, asked: false };
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new ArgumentError(`PORT takes a port number from 0 (any free one) to 65535, not "${text}"`);
  return { port: Number(text), asked: true };
}
