import { expect, it } from 'vitest';
import { type Forwarded, Moments } from './moments.js';

const forwarded = (identity: string): Forwarded => ({
  ...{ type: 'forwarded', identity, attempt: 1 },
  ...{ copy: 1, upstream: 'http://127.0.0.1:4001' },
});
const never = new Promise<void>(() => {});

it('waits for a request of the kind asked for, and for nothing else', async () => {
  const moments = new Moments(never);
  let came = false;
  const next = moments
    .next(({ identity }) => identity === 'b', 0)
    .then((found) => {
      came = true;
      return found;
    });
  moments.note({ type: 'ended', identity: 'b', attempt: 1, client: 'answered' });
  moments.note(forwarded('a'));
  await new Promise(setImmediate);
  expect(came).toBe(false);
  moments.note(forwarded('b'));
  expect(await next).toBe(true);
});

it('gives up when there can be none any more, whether for all or for whom it was asked', async () => {
  const none = () => false;
  expect(await new Moments(Promise.resolve()).next(none, 0)).toBe(false);
  expect(await new Moments(never).next(none, 0, Promise.resolve())).toBe(false);
});
