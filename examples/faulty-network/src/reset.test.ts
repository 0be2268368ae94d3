import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnLoopback } from './loopback.js';
import { reset } from './reset.js';

/** Both ends of one connection; either may go on after the other has ended. */
async function connection() {
  const server = createServer({ allowHalfOpen: true });
  const { port, close } = await listenOnLoopback(server, 0);
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [near] = (await once(server, 'connection')) as [Socket];
  const error = new Promise((resolve) => {
    far.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
  far.resume();
  return { near, far, error, [Symbol.asyncDispose]: close };
}

it('the other side of a connection that is reset gets ECONNRESET', async () => {
  await using ends = await connection();
  reset(ends.near);
  expect(await ends.error).toBe('ECONNRESET');
});

it.each(['just being sent', 'sent'])('a connection whose end is %s closes all the same', async (end) => {
  await using ends = await connection();
  ends.near.end();
  if (end === 'sent') await once(ends.near, 'finish');
  const closed = once(ends.near, 'close');
  reset(ends.near);
  await closed;
});
