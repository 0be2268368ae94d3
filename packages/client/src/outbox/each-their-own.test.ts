import { expect, test } from 'vitest';
import type { Evidence } from '../attempts/evidence.js';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { call, fails, rejection, says, type World, world } from '../testing/world.js';

const intent = 'checkout:1';
const order = () => says(200, { result: { data: { lines: [{ sku: 'tea' }] } } });
const outOfStock = () => fails(409, { settlement: 'settled' });

/** The next attempt is answered after everybody has joined. */
function answersLater(it: World, answer: () => Evidence): void {
  it.script.push(async () => {
    await new Promise<void>((resolve) => it.clock.after(1_000, resolve));
    return answer();
  });
}

test('what one caller does to an output is not seen by those who joined, who wait, who come late, nor by onSettled', async () => {
  const it = world();
  const told: unknown[] = [];
  const outbox = it.open({
    settledFirst: true,
    onSettled: (_, outcome) => void told.push(outcome.ok && outcome.data),
  });
  answersLater(it, order);
  const key = 'k';
  const all = [outbox.submit(call({ intent, key })), outbox.submit(call({ intent, key }))];
  await settled();
  all.push(outbox.wait(key), outbox.resume(key));
  await it.clock.advance(1_000);
  const heard = [...(await Promise.all(all)), ...told, await outbox.wait(key), await outbox.wait(key)];
  expect(heard).toHaveLength(7);
  for (const [n, one] of (heard as any[]).entries()) one.lines.push(n);
  for (const [n, one] of heard.entries()) expect(one).toEqual({ lines: [{ sku: 'tea' }, n] });
});

test('those who wait in another tab have their own', async () => {
  const it = world();
  const browser = new Browser(it);
  const [one, other] = [browser.open().outbox, browser.open().outbox];
  answersLater(it, order);
  const key = 'k';
  const calling = one.submit(call({ key }));
  await settled();
  const waits = [other.wait(key), other.wait(key)];
  await it.clock.advance(5_000);
  await calling;
  const [first, second] = (await Promise.all(waits)) as any[];
  first.lines.length = 0;
  expect(second).toEqual({ lines: [{ sku: 'tea' }] });
});

test.each<[string, () => Evidence, object]>([
  ['the settled failure', outOfStock, { name: 'TRPCClientError', data: { httpStatus: 409 } }],
  ['why there is no outcome', () => fails(401), { name: 'OperationParkedError', reason: 'unauthorized' }],
])('each of those who joined is told %s in an error of their own', async (_, answer, error) => {
  const it = world();
  const outbox = it.open();
  answersLater(it, answer);
  const all = [0, 1].map(() => rejection(outbox.submit(call({ intent }))));
  await it.clock.advance(1_000);
  const [one, other] = await Promise.all(all);
  expect([one, other]).toMatchObject([error, error]);
  one.reported = true;
  if (one.data) one.data.reported = true;
  expect(other).not.toHaveProperty('reported');
  expect(other.data ?? {}).not.toHaveProperty('reported');
});
