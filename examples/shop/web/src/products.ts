import type { CheckOut, Product } from '../../src/contract.js';
import { StoredValue } from './stored-value.js';

/** What the shop sells, as it was read last: a page that is opened offline knows what is in its cart. */
export const products = new StoredValue<readonly Product[]>('shop.products', []);

export function nameOf(sku: string): string {
  return products.get().find((product) => product.sku === sku)?.name ?? sku;
}

/** `1 × Green tea, 100 g and 2 × Cast-iron pot` */
export function inWords(lines: CheckOut['lines']): string {
  return lines.map(({ sku, quantity }) => `${quantity} × ${nameOf(sku)}`).join(' and ');
}
