import { randomFrom } from '@trpc-once/faulty-network';
import { someProducts } from '../database/seed.js';

export interface PlanOptions {
  readonly seed: number;
  /** How many orders are to be placed. */
  readonly orders: number;
  /** How many clients place them. */
  readonly clients: number;
}

/** What must become of an order, whatever the network does. Of the rare ones each is sold or not; how many is certain. */
export type Fate = 'sold' | 'sold-or-out-of-stock' | 'insufficient-funds';

/** One operation, decided before anything is sent. */
export interface PlannedOrder {
  /** Its own: what the drill counts by, in the database. */
  readonly reference: string;
  /** Who places it. */
  readonly client: number;
  readonly sku: string;
  readonly quantity: number;
  readonly fate: Fate;
}

export interface Customer {
  readonly client: number;
  readonly accountId: string;
  /** Enough for everything it can be charged, and not for what it cannot afford. */
  readonly balanceCents: number;
}

/** All that the drill will do, from the seed alone: what it counts against. */
export interface Plan extends PlanOptions {
  readonly operations: readonly PlannedOrder[];
  readonly customers: readonly Customer[];
  /** How many orders of the rare product can be sold. */
  readonly rareSold: number;
}

const priceOf = Object.fromEntries(someProducts.map(({ sku, priceCents }) => [sku, priceCents]));

/** Three of these are all there ever were. */
const rare = someProducts[3];
/** 64,000.00: more than 3,000 orders of tea cost, so nobody here ever has that much. */
const unaffordable = { sku: 'pot-iron', quantity: 1_000 };
const unaffordableCents = 6_400 * unaffordable.quantity;

/** The same for the same options, on every machine and in every process. */
export function planDrill(options: PlanOptions): Plan {
  const { seed, orders, clients } = options;
  const operations = fates(options).map((fate, index): PlannedOrder => {
    const random = randomFrom('plan', seed, index);
    const tea = { sku: random() < 0.5 ? 'tea-green' : 'tea-black', quantity: 1 + Math.floor(random() * 3) };
    const goods = {
      sold: tea,
      'sold-or-out-of-stock': { sku: rare.sku, quantity: 1 },
      'insufficient-funds': unaffordable,
    };
    const number = String(index + 1).padStart(String(orders).length, '0');
    return { reference: `S${seed}-${number}`, client: index % clients, ...goods[fate], fate };
  });
  const customers = Array.from({ length: clients }, (_, client): Customer => {
    const own = operations.filter((order) => order.client === client && order.fate === 'sold');
    const teaCents = own.reduce((sum, { sku, quantity }) => sum + (priceOf[sku] ?? 0) * quantity, 0);
    // One rare product more than can be sold: who tries it must find the shelf empty, not the purse.
    const balanceCents = teaCents + (rare.stock + 1) * rare.priceCents;
    if (balanceCents >= unaffordableCents)
      throw new RangeError('customers of this plan are too rich: place fewer orders, or use more clients');
    return { client, accountId: `customer-${client + 1}`, balanceCents };
  });
  const rareAsked = operations.filter(({ fate }) => fate === 'sold-or-out-of-stock').length;
  return { ...options, operations, customers, rareSold: Math.min(rare.stock, rareAsked) };
}

/** One in 12 asks for the rare product, one in 30 cannot be afforded; the seed decides which. */
function fates({ seed, orders }: PlanOptions): readonly Fate[] {
  const special: Fate[] = [
    ...Array<Fate>(Math.floor(orders / 12)).fill('sold-or-out-of-stock'),
    ...Array<Fate>(Math.floor(orders / 30)).fill('insufficient-funds'),
  ];
  const random = randomFrom('fates', seed);
  return Array.from({ length: orders }, (_, index) => ({ fate: special[index] ?? 'sold', at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ fate }) => fate);
}
