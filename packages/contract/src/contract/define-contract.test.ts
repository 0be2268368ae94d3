import superjson from 'superjson';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { procedure } from '../procedure/builder.js';
import { proceduresOf, transformerOf } from './contract.js';
import { ContractError } from './contract-error.js';
import { type ContractOptions, defineContract } from './define-contract.js';

const place = procedure
  .input(z.object({ sku: z.string() }))
  .idempotent()
  .mutation();
const byId = procedure.input(z.string()).query();

/** What nobody may write, and JavaScript can. */
const define = (tree: unknown, options?: ContractOptions) => defineContract(tree as never, options as never);

test('every procedure knows its dotted path, and is found by it', () => {
  const shop = defineContract({ ping: byId, orders: { place, archive: { byId } } });
  expect(shop.ping.path).toBe('ping');
  expect(shop.orders.place.path).toBe('orders.place');
  expect(shop.orders.archive.byId.path).toBe('orders.archive.byId');
  expect([...proceduresOf(shop).keys()]).toEqual(['ping', 'orders.place', 'orders.archive.byId']);
  expect(proceduresOf(shop).get('orders.place')).toBe(shop.orders.place);
});

test('the tree that was given is not changed, and one procedure can stand in two places', () => {
  const tree = { one: { byId }, other: { byId } };
  const contract = defineContract(tree);
  expect(tree.one.byId.path).toBe('');
  expect([contract.one.byId.path, contract.other.byId.path]).toEqual(['one.byId', 'other.byId']);
});

test('a contract can be a part of another', () => {
  const orders = defineContract({ place });
  expect(defineContract({ orders }).orders.place.path).toBe('orders.place');
  expect(orders.place.path).toBe('place');
});

test('nothing of a contract can be changed', () => {
  const shop = defineContract({ orders: { place } });
  expect([shop, shop.orders, shop.orders.place].every(Object.isFrozen)).toBe(true);
});

test('the transformer is kept for both sides', () => {
  expect(transformerOf(defineContract({ byId }, { transformer: superjson }))).toBe(superjson);
  expect(transformerOf(defineContract({ byId }, {}))).toBeUndefined();
  expect(transformerOf(defineContract({ byId }))).toBeUndefined();
});

test.each(['a', 'A1', 'by_id', 'by-id', '$', '0', 'constructor', 'toString', 'query', 'kind', 'mutate'])(
  'a procedure may be called %s',
  (name) => {
    const contract = define({ [name]: byId, group: { [name]: place } });
    expect([...proceduresOf(contract).keys()]).toEqual([name, `group.${name}`]);
  },
);

describe('is refused when it is defined:', () => {
  test.each([
    ['an empty contract', {}, 'at least one procedure'],
    ['a contract of empty groups', { orders: { old: {} } }, 'at least one procedure'],
    ['a name with a dot', { 'orders.place': place }, '"orders.place" cannot be'],
    ['a name with a slash', { 'a/b': place }, '"a/b" cannot be'],
    ['a name with a comma', { 'a,b': place }, '"a,b" cannot be'],
    ['an empty name', { '': place }, '"" cannot be'],
    ['a name with a blank', { 'a b': place }, '"a b" cannot be'],
    ['a name outside ASCII', { käse: place }, '"käse" cannot be'],
    ['a name that makes it a promise', Object.fromEntries([['then', place]]), '"then" cannot be'],
    ['a name of tRPC', { orders: { _def: place } }, '"orders._def" cannot be'],
    ['a name of tRPC, as a group', { createCaller: { place } }, '"createCaller" cannot be'],
    ['a name that JavaScript takes', JSON.parse('{ "__proto__": {} }'), '"__proto__" cannot be'],
    ['a builder that was not ended', { orders: { place: procedure } }, '"orders.place" is not finished'],
    ['an idempotent one that was not ended', { place: procedure.idempotent() }, '"place" is not finished'],
    ['a function', { place: () => {} }, '"place" is neither'],
    ['null', { place: null }, '"place" is neither'],
    ['a text', { place: 'mutation' }, '"place" is neither'],
    ['an idempotent query', { q: { ...place, kind: 'query' } }, '"q" is an idempotent query'],
  ])('%s', (_what, tree, message) => {
    expect(() => define(tree)).toThrow(ContractError);
    expect(() => define(tree)).toThrow(message);
  });

  test.each(['input', 'output'] as const)('an idempotent mutation whose %s is read once', (side) => {
    const upload = { ...place, [side]: z.object({ scan: z.file() }) };
    expect(() => define({ docs: { upload } })).toThrow(ContractError);
    expect(() => define({ docs: { upload } })).toThrow(
      `"docs.upload" is idempotent, so its ${side} must be kept and given again, but scan (file) can be read only once`,
    );
  });
});

test.each([
  [
    { transformers: superjson },
    'defineContract({ transformers }): there is no such option, did you mean transformer?',
  ],
  [superjson, 'any of transformer, not a function'],
])(
  'an option that is none is refused, as a transformer given in place of the options is',
  (options, message) => {
    expect(() => define({ place }, options as never)).toThrow(ContractError);
    expect(() => define({ place }, options as never)).toThrow(message);
  },
);

test('without a tree it says what it needs', () => {
  expect(() => define(undefined)).toThrow(ContractError);
  expect(() => define(undefined)).toThrow('needs the procedures');
});

test('what needs no key may take a file', () => {
  const upload = procedure.input(z.object({ scan: z.file() })).mutation();
  expect(defineContract({ upload }).upload.path).toBe('upload');
});
