import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { listenOnLoopback } from '../loopback.js';
import { Conditions } from './conditions.js';
import { Line } from './line.js';
import { beforeText } from './trip-wire.js';

/** A line whose sender hands over chunks exactly as the test cuts them; the receiver is a real socket. */
async function lineTo(cutAt: (bytes: Buffer, line: object) => number | undefined) {
  let heard = '';
  let ended = false;
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.once('close', () => {
      ended = true;
    });
  });
  const { port, close } = await listenOnLoopback(server, 0);
  const from = new PassThrough();
  const to = connect(port, '127.0.0.1');
  const conditions = new Conditions(new AbortController().signal);
  const cut = () => to.destroy();
  new Line({ from: from as unknown as Socket, to, conditions, cutAt, onPassed: () => {}, cut });
  return {
    ...{ from, conditions },
    heard: () => heard,
    ended: () => ended,
    [Symbol.asyncDispose]: close,
  };
}

it('what was held behind the cut does not slip through before the connection is closed', async () => {
  await using line = await lineTo(beforeText('COMMIT'));
  line.conditions.pause();
  for (const chunk of ['INSERT;', 'BEFORE;COMMIT;', 'AFTER;', 'MORE;'])
    line.from.emit('data', Buffer.from(chunk));
  line.conditions.resume();
  await expect.poll(line.ended).toBe(true);
  expect(line.heard()).toBe('INSERT;BEFORE;');
});

it('a sender is stopped when too much is held, and goes on when it is not', async () => {
  await using line = await lineTo(() => undefined);
  line.conditions.pause();
  line.from.emit('data', Buffer.alloc(1_048_575));
  expect(line.from.isPaused()).toBe(false);
  line.from.emit('data', Buffer.alloc(1));
  expect(line.from.isPaused()).toBe(true);
  line.conditions.resume();
  await expect.poll(() => line.heard().length).toBe(1_048_576);
  await expect.poll(() => line.from.isPaused()).toBe(false);
});
