import { readFileSync } from 'node:fs';
import { createIdempotentClient, memoryStorage } from '@trpc-once/client';
import { defineContract, procedure } from '@trpc-once/contract';
import { expect, test } from 'vitest';

const contract = defineContract({ pay: procedure.idempotent().mutation() });
const good = { contract, url: 'https://shop.example/trpc', owner: () => 'ann', storage: memoryStorage() };

const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
/** The first column of each table of options, which ends where the next heading is. */
const [ofClient, ofCall] = page
  .split('| option |')
  .slice(1)
  .map((table) =>
    [...table.split('\n## ')[0]!.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names]) =>
      names!.replaceAll('`', '').split(', '),
    ),
  );

/** Those that a refusal of any other names. */
function namesIn(error: unknown): string[] {
  return /they are ([\w, ]+)/.exec((error as Error).message)![1]!.split(', ');
}

test('docs/client.md has all options of a client, and no others', () => {
  try {
    createIdempotentClient({ ...good, nothing: 1 } as never);
    expect.unreachable();
  } catch (error) {
    expect(ofClient?.sort()).toEqual(namesIn(error).sort());
  }
});

test('docs/client.md has all options of a call, and no others', async () => {
  const client = createIdempotentClient(good);
  const error = await client.pay
    .mutate(undefined, { nothing: 1 } as never)
    .catch((thrown: unknown) => thrown);
  expect(ofCall?.sort()).toEqual(namesIn(error).sort());
  await client.outbox.close();
});

test.each([
  ['UnknownReason', 'outcome-unknown-error', '| `OutcomeUnknownError`, because'],
  ['NotSentReason', 'not-sent-error', '| `NotSentError`, because'],
  ['ParkReason', 'operation-parked-error', '| parked, because'],
])('docs/outbox.md has each %s, and no others', (type, file, head) => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, union = ''] =
    new RegExp(`export type ${type} =([^;]+);`).exec(read(`packages/client/src/errors/${file}.ts`)) ?? [];
  const reasons = [...union.matchAll(/'([\w-]+)'/g)].map(([, reason]) => reason);
  const rows = read('docs/outbox.md').split(head)[1]!.split('\n\n')[0]!;
  const told = [...rows.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+)/gm)].flatMap(([, cell]) =>
    cell!.replaceAll('`', '').split(', '),
  );
  expect(reasons.length).toBeGreaterThan(5);
  expect(told.sort()).toEqual(reasons.sort());
});
