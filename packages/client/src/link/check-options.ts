import { type AnyContract, type Manifest, proceduresOf } from '@trpc-once/contract';
import type { IdempotencyOptions } from './options.js';
import { strayOption } from './stray-option.js';

const known = Object.keys({
  ...{
    contract: 1,
    url: 1,
    owner: 1,
    storage: 1,
    headers: 1,
    transformer: 1,
    retry: 1,
    fetch: 1,
    onSettled: 1,
  },
  ...{
    settledFirst: 1,
    onUnauthorized: 1,
    resumeOnStart: 1,
    resumeByTime: 1,
    onWake: 1,
    clock: 1,
    random: 1,
  },
} satisfies Record<keyof IdempotencyOptions, 1>);

/**
 * What types refuse already, for plain JavaScript: said when the client is made, not by whatever breaks first on the way
 * of somebody's order.
 * @param more names of options that only this caller takes
 * @throws TypeError saying which option is wrong and what it takes
 */
export function checkOptions(options: Partial<IdempotencyOptions> = {}, ...more: string[]): void {
  const { contract, url, owner, storage } = options;
  const stray = strayOption(options, [...known, ...more]);
  if (stray) throw new TypeError(stray);
  if (!isContract(contract)) wrong('contract', contract, 'what defineContract() or manifest() gave');
  if (typeof url !== 'string' && typeof url?.href !== 'string')
    wrong('url', url, 'where the tRPC server answers, such as "https://shop.example/trpc" or "/trpc"');
  // The URL parser takes "localhost:3000" for the scheme "localhost".
  if (/^[^/?#]+:(?!\/\/)/.test(url.toString()))
    throw new TypeError(`url: "${url}" has no scheme: write "http://${url}" or "https://${url}"`);
  if (typeof owner !== 'function')
    wrong('owner', owner, 'a function that names who is signed in, such as () => session?.userId ?? null');
  if (typeof storage?.entries !== 'function')
    wrong('storage', storage, 'an OutboxStorage, such as indexedDbStorage() or memoryStorage()');
  if (typeof storage.coordination?.join !== 'function')
    wrong('storage.coordination', storage.coordination, 'alone, betweenTabs or betweenProcesses');
}

function isContract(contract: AnyContract | Manifest | undefined): boolean {
  if (typeof contract !== 'object' || contract === null) return false;
  if (typeof (contract as Manifest).version === 'number') return 'procedures' in contract;
  try {
    return proceduresOf(contract as AnyContract).size > 0;
  } catch {
    return false;
  }
}

function wrong(option: string, given: unknown, wanted: string): never {
  const what = given === undefined || given === null ? 'is missing' : `cannot be of type ${typeof given}`;
  throw new TypeError(`${option} ${what}: it is ${wanted}`);
}
