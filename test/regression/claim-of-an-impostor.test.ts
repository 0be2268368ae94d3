import { expect, test } from 'vitest';
import { effects, oneEuro, openBank, send } from '../bank/index.js';
import { signal } from '../invariants/signal.js';

// Found by the soak: Redis had lost the settled claim, somebody sent the key with another input and took the claim anew,
// and while that attempt was on its way to the record, the operation's own client was told 422, "never".
test('a claim taken with another input after the operation settled does not keep its own client from its outcome', async () => {
  const inside = signal();
  const goOn = signal();
  let holding = false;
  await using bank = await openBank({
    instances: 2,
    async faults(point) {
      if (!holding || point !== 'beginning') return;
      inside.give();
      await goOn.given;
    },
  });
  const [one, other] = bank.instances.map(({ url }) => url) as [string, string];
  const first = await send(one, 'transfer', oneEuro, { key: 'k1' });
  await bank.flushClaims();
  holding = true;
  const impostor = send(one, 'transfer', { ...oneEuro, cents: 200 }, { key: 'k1' });
  await inside.given;
  const again = await send(other, 'transfer', oneEuro, { key: 'k1' });
  goOn.give();
  expect(again.status, again.text).toBe(200);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.text).toBe(first.text);
  expect((await impostor).body.error.data.idempotency.refusal).toBe('FINGERPRINT_MISMATCH');
  expect(await effects(bank.db)).toBe(1);
});
