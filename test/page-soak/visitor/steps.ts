import { setTimeout as delay } from 'node:timers/promises';
import type { Mode } from '../../page/shop-page.js';
import { pick } from '../../soak/draw.js';
import { signIn, signOut } from './accounts.js';
import { order } from './order.js';
import type { Tab } from './tab.js';
import type { Visitor } from './visitor.js';

/** One thing that a visitor may do. */
export interface VisitorStep {
  readonly what: string;
  /** How often it is drawn, relative to the others. */
  readonly weight: number;
  /** @returns more on what was done, for the log */
  act(visitor: Visitor): Promise<string | void>;
}

/** At most so many tabs at a time: they share two cores with everything else. */
const TABS = 3;

const modes: readonly Mode[] = [
  'Works',
  'Loses answers',
  'Slow',
  'Offline',
  'Shop breaks',
  'Gateway 504',
  'Session ends',
];

const inTab =
  (act: (tab: Tab, visitor: Visitor) => Promise<string | void>): VisitorStep['act'] =>
  async (visitor) =>
    act(await visitor.someTab(), visitor);

export const steps: readonly VisitorStep[] = [
  { what: 'order', weight: 14, act: inTab(order) },
  {
    what: 'fill the cart further',
    weight: 2,
    act: inTab((tab) => tab.tap(tab.button(/^One .* (more|less)$/)).then(String)),
  },
  {
    what: 'ask again',
    weight: 4,
    act: inTab(async (tab, { random }) => {
      const name = pick(['Ask now', 'Ask again', 'Sign in again'], random);
      return `${name}: ${await tab.tap(tab.button(name))}`;
    }),
  },
  {
    what: 'turn the network',
    weight: 6,
    act: inTab(async (tab, { random }) => {
      const mode = pick(modes, random);
      await tab.tap(tab.page.getByRole('radio', { name: mode }));
      return mode;
    }),
  },
  {
    what: 'be offline for a while',
    weight: 2,
    async act({ context, random }) {
      await context.setOffline(true);
      await delay(random() * 2_000);
      await context.setOffline(false);
    },
  },
  { what: 'order offline', weight: 1, act: orderOffline },
  { what: 'reload', weight: 3, act: inTab((tab) => tab.reload()) },
  { what: 'go away and back', weight: 2, act: inTab((tab) => tab.awayAndBack()) },
  {
    what: 'open a tab',
    weight: 3,
    async act(visitor) {
      if (visitor.tabs.length < TABS) await visitor.openTab();
    },
  },
  { what: 'close a tab', weight: 2, act: inTab((tab, visitor) => visitor.closeTab(tab)) },
  { what: 'crash a tab', weight: 3, act: inTab((tab) => tab.crash()) },
  {
    what: 'freeze a tab',
    weight: 4,
    act: inTab(async (tab, visitor) => {
      // Only what is not looked at can be frozen.
      await visitor.lookAway();
      await tab.freeze();
    }),
  },
  {
    what: 'thaw a tab',
    weight: 4,
    async act({ tabs, random }) {
      const frozen = tabs.filter((tab) => tab.frozen && !tab.dead);
      if (frozen.length === 0) return 'none';
      const tab = pick(frozen, random);
      await tab.thaw();
      if (random() < 0.5) await tab.front();
      return `tab ${tab.number}`;
    },
  },
  { what: 'kill the browser', weight: 1, act: (visitor) => visitor.killBrowser() },
  { what: 'sign out', weight: 3, act: inTab(signOut) },
  { what: 'sign in', weight: 3, act: inTab(signIn) },
  {
    what: 'wait',
    weight: 4,
    act: ({ random }) => delay(random() * 1_500),
  },
];

async function orderOffline(visitor: Visitor): Promise<string | void> {
  await visitor.context.setOffline(true);
  try {
    return await order(await visitor.someTab(), visitor);
  } finally {
    await visitor.context.setOffline(false);
  }
}
