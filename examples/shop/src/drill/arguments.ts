import { parseArgs } from 'node:util';
import { CannotBeginError } from '../cannot-begin-error.js';
import { type WhereToServe, whereToServe } from '../server/where-to-serve.js';

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

Exit code: 0 when every operation took effect once, 1 when anything is off, 2 when it cannot begin as asked.`;

/** @throws CannotBeginError */
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
    throw new CannotBeginError((error as Error).message);
  }
}

function whole(name: keyof typeof numbers, text: string | undefined): number {
  const { least, most, otherwise } = numbers[name];
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new CannotBeginError(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`);
  return number;
}

/** What the environment says, where the shop is to be served included. */
export interface Environment extends WhereToServe {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
}

/** @throws CannotBeginError */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  return {
    ...whereToServe(env),
    databaseUrl: serviceUrl('DATABASE_URL', env, ['postgres:', 'postgresql:']),
    redisUrl: serviceUrl('REDIS_URL', env, ['redis:', 'rediss:']),
  };
}

function serviceUrl(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  protocols: readonly [string, string],
): string | undefined {
  const url = env[name] || undefined;
  // Not repeated in the message: it may hold a password.
  if (url !== undefined && !(URL.canParse(url) && protocols.includes(new URL(url).protocol)))
    throw new CannotBeginError(`${name} takes a URL that begins with ${protocols.join('// or ')}//`);
  return url;
}
