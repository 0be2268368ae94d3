import type { Books } from '../../database/books.js';

const off: { readonly [F in keyof Books]?: string } = {
  repeatedReferences: 'references are on more than one order',
  ordersNotChargedOnce: 'orders are not charged by exactly one ledger row of their amount',
  balancesOff: 'balances are not the sum of their ledger rows',
  ledgerBreaks: 'ledger rows do not follow from the row before them',
  stockOff: 'products were neither in stock nor ordered, or both',
};

/** What does not add up in the books, in words. */
export function booksFindings(books: Books): readonly string[] {
  const findings = Object.entries(off)
    .filter(([figure]) => books[figure as keyof Books] !== 0)
    .map(([figure, meaning]) => `${books[figure as keyof Books]} ${meaning}`);
  return books.charges === books.orders
    ? findings
    : [...findings, `${books.charges} ledger rows charge for ${books.orders} orders`];
}
