import { expect, test } from 'vitest';
import { noBrowser } from '../page/browser.js';
import type { Plan } from './plan.js';
import { runPageSoak } from './run-page-soak.js';

/** Short, because other tests share the machine; `npm run soak:page` runs it for as long as one likes. */
const short: Plan = { actMs: 0, stepsInRound: 18, seed: 2, visitors: 1 };

/** A seed whose visitor does nothing but order in the first four steps. */
const FOUR_ORDERS = 231;

const skipped = noBrowser ? ` (skipped: ${noBrowser})` : '';

test.skipIf(noBrowser)(
  `a visitor orders, breaks the network, and kills tabs, browser and shop: every cart is one order at most, and all that was shown is true${skipped}`,
  async () => {
    const { violations, found } = await runPageSoak(short);
    expect(violations.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([]);
    expect(found.story.arrivals.length).toBeGreaterThan(3);
  },
  240_000,
);

test.skipIf(noBrowser)(
  `a page that hangs is found out, and said to hang${skipped}`,
  async () => {
    const hanging: Plan = { ...short, stepsInRound: 4, seed: FOUR_ORDERS, sabotage: 'hang', hangMs: 8_000 };
    const { violations } = await runPageSoak(hanging);
    const [{ rule, what } = { rule: '', what: '' }] = violations;
    expect(rule).toBe('hung');
    expect(what).toMatch(/^V1: ".+" has not ended within 8 s; tab \d+ does not answer$/);
  },
  240_000,
);

test.skipIf(noBrowser)(
  `pages that make a new key for every attempt are found out${skipped}`,
  async () => {
    const { violations } = await runPageSoak({
      ...short,
      stepsInRound: 4,
      seed: FOUR_ORDERS,
      sabotage: 'new-keys',
    });
    expect(violations.map(({ rule }) => rule)).toContain('second key');
  },
  240_000,
);
