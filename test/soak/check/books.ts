import { accounts, openingBalance, pauper } from '../bank/soak-tables.js';
import type { Rule } from './case.js';

/** The balances are what the ledger makes of them. */
export const books: Rule = function* ({ evidence: { ledger, balances } }) {
  const expected = new Map([...accounts, pauper].map((account) => [account, openingBalance(account)]));
  const add = (account: string, cents: number) =>
    expected.set(account, (expected.get(account) ?? Number.NaN) + cents);
  for (const { sender, recipient, cents } of ledger) {
    add(sender, -cents);
    add(recipient, cents);
  }
  for (const [account, cents] of expected) {
    const balance = balances.get(account);
    if (balance !== cents)
      yield {
        rule: 'books do not balance',
        what: `${account} has ${balance} and its ledger rows make ${cents}`,
        operations: [],
      };
  }
};
