import type { Rule } from './case.js';

/** No page threw, and nothing hung: no page, no tab on its way out, no browser. */
export const sound: Rule = function* ({ story: { complaints, hung } }) {
  for (const { visitor, what } of complaints)
    yield { rule: 'page error', what: `a page of ${visitor} threw: ${what}`, carts: [] };
  for (const { visitor, what } of hung) yield { rule: 'hung', what: `${visitor}: ${what}`, carts: [] };
};
