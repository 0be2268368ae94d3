import { afterEach, expect, test, vi } from 'vitest';
import { call, world } from '../testing/world.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many elements are looked through by lists that are sorted or filtered, for each of `many` calls made at once. */
async function lookedThrough(many: number, name: (n: number) => Parameters<typeof call>[0]): Promise<number> {
  const outbox = world().open();
  let elements = 0;
  for (const method of ['sort', 'filter'] as const) {
    const original = Array.prototype[method] as (this: unknown[], how: never) => never;
    vi.spyOn(Array.prototype, method).mockImplementation(function (this: unknown[], how?: unknown) {
      elements += this.length;
      return original.call(this, how as never);
    });
  }
  await Promise.all(Array.from({ length: many }, (_, n) => outbox.submit(call(name(n)))));
  vi.restoreAllMocks();
  return elements / many;
}

test.each<[string, (n: number) => Parameters<typeof call>[0]]>([
  ['in lanes of ten', (n) => ({ lane: `cart:${Math.floor(n / 10)}` })],
  ['of an intent each', (n) => ({ intent: `checkout:${n}` })],
  ['without a name', () => ({})],
])('no list of all others is made for a call, however many there are: %s', async (_, name) => {
  const few = await lookedThrough(50, name);
  const many = await lookedThrough(400, name);
  expect(many).toBeLessThan(2 * few + 10);
});
