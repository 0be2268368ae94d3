import fc from 'fast-check';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { procedure } from '../procedure/builder.js';
import { defaultRetryPolicy } from '../retry/retry-policy.js';
import { proceduresOf } from './contract.js';
import { defineContract } from './define-contract.js';
import { manifest } from './manifest.js';

const shop = defineContract(
  {
    orders: {
      place: procedure
        .input(z.object({ sku: z.string() }))
        .errors({ OUT_OF_STOCK: { code: 'CONFLICT' } })
        .idempotent({ retentionMs: 3_600_000, leaseMs: 5_000, retry: { maxAttempts: 3 } })
        .mutation(),
      byId: procedure.input(z.string()).query(),
    },
    touch: procedure.mutation(),
  },
  { transformer: superjson },
);

test('a manifest says of each path what a client has to know, and nothing of how it is validated', () => {
  expect(manifest(shop)).toEqual({
    version: 1,
    procedures: {
      'orders.place': {
        kind: 'mutation',
        idempotent: true,
        retentionMs: 3_600_000,
        retry: { ...defaultRetryPolicy, maxAttempts: 3 },
      },
      'orders.byId': { kind: 'query', idempotent: false },
      touch: { kind: 'mutation', idempotent: false },
    },
  });
});

test('a manifest comes back from JSON as it went in', () => {
  expect(JSON.parse(JSON.stringify(manifest(shop)))).toEqual(manifest(shop));
});

test('whatever the contract, a client finds each procedure with its kind, its retention and its retry policy', () => {
  const options = fc.record(
    {
      retentionMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      leaseMs: fc.integer({ min: 100, max: 3_600_000 }),
      retry: fc.record({ maxAttempts: fc.integer({ min: 1, max: 99 }) }),
    },
    { requiredKeys: [] },
  );
  const one = fc.oneof(
    fc.constant(procedure.query()),
    fc.constant(procedure.mutation()),
    options.map((given) => procedure.idempotent(given as object).mutation()),
  );
  const name = fc
    .stringMatching(/^[a-z]\w{0,8}$/)
    .filter((text) => !['then', 'call', 'apply'].includes(text));
  const group = fc.dictionary(name, one, { minKeys: 1, maxKeys: 5 });
  fc.assert(
    fc.property(fc.dictionary(name, group, { minKeys: 1, maxKeys: 4 }), (tree) => {
      const contract = defineContract(tree);
      const read = JSON.parse(JSON.stringify(manifest(contract)));
      expect(Object.keys(read.procedures).sort()).toEqual([...proceduresOf(contract).keys()].sort());
      for (const [path, { kind, idempotent }] of proceduresOf(contract))
        expect(read.procedures[path]).toEqual(
          idempotent
            ? { kind, idempotent: true, retentionMs: idempotent.retentionMs, retry: idempotent.retry }
            : { kind, idempotent: false },
        );
    }),
  );
});
