import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnLoopback } from '../loopback.js';
import { tcpProxy } from './tcp-proxy.js';

/** Answers every line with `<name>:<line>`, and remembers what it heard. */
async function echoServer(name = 'echo') {
  const heard: string[] = [];
  let ended = 0;
  const server = createServer((socket) => {
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.once('close', () => ended++);
    let line = '';
    socket.on('data', (chunk: string) => {
      heard.push(chunk);
      const lines = (line + chunk).split('\n');
      line = lines.pop() ?? '';
      for (const each of lines) socket.write(`${name}:${each}\n`);
    });
  });
  const { port, close } = await listenOnLoopback(server, 0);
  return {
    port,
    close,
    heard: () => heard.join(''),
    ended: () => ended,
    [Symbol.asyncDispose]: close,
  };
}

/** A client that remembers what it got and how it ended. */
async function client(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let got = '';
  let code: string | undefined;
  socket.on('data', (chunk: string) => {
    got += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(code ?? 'closed')));
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed]);
  return {
    socket,
    closed,
    got: () => got,
    say: (text: string) => socket.write(text),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

it('carries bytes both ways, in order, and counts them', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  one.say('a\n');
  one.say('b\n');
  await expect.poll(one.got).toBe('echo:a\necho:b\n');
  expect(proxy.counts()).toEqual({
    ...{ open: 1, accepted: 1, cut: 0, refused: 0 },
    bytes: { 'to-upstream': 4, 'to-client': 14 },
  });
});

it('carries more than it holds back at once, whole', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  const long = 'x'.repeat(8 * 1_048_576);
  proxy.pause();
  one.say(`${long}\n`);
  proxy.resume();
  await expect.poll(() => one.got().length, { timeout: 5_000 }).toBe(long.length + 'echo:\n'.length);
  expect(one.got()).toBe(`echo:${long}\n`);
});

it('passes the end of one direction on and leaves the other open', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    socket.resume().once('end', () => socket.end('all of it'));
  });
  const { port, close } = await listenOnLoopback(server, 0);
  await using proxy = await tcpProxy({ upstream: { port } });
  using one = await client(proxy.port);
  one.socket.end('request');
  expect(await one.closed).toBe('closed');
  expect(one.got()).toBe('all of it');
  await expect.poll(() => proxy.counts().open).toBe(0);
  await close();
});

it('cut() resets every open connection on both ends, and takes new ones', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  using two = await client(proxy.port);
  one.say('a\n');
  two.say('b\n');
  await expect.poll(() => one.got() + two.got()).toBe('echo:a\necho:b\n');
  expect(proxy.cut()).toBe(2);
  expect(await Promise.all([one.closed, two.closed])).toEqual(['ECONNRESET', 'ECONNRESET']);
  await expect.poll(server.ended).toBe(2);
  using three = await client(proxy.port);
  three.say('c\n');
  await expect.poll(three.got).toBe('echo:c\n');
  expect(proxy.counts()).toMatchObject({ open: 1, accepted: 3, cut: 2 });
});

it('cut("close") ends connections without a reset', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  await expect.poll(() => proxy.counts().open).toBe(1);
  proxy.cut('close');
  expect(await one.closed).toBe('closed');
});

it('nothing passes a paused network, not even the client’s leaving, and nothing is lost', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  one.say('a\n');
  await expect.poll(one.got).toBe('echo:a\n');
  proxy.pause();
  one.say('b\n');
  one.socket.destroySoon();
  await one.closed;
  using two = await client(proxy.port);
  two.say('c\n');
  await expect.poll(() => proxy.counts().accepted).toBe(2);
  expect([server.heard(), server.ended(), two.got()]).toEqual(['a\n', 0, '']);
  proxy.resume();
  await expect.poll(two.got).toBe('echo:c\n');
  await expect.poll(server.ended).toBe(1);
  expect(server.heard()).toContain('b\n');
});

it('refuse() makes connecting fail and leaves open connections, accept() takes it back', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  await expect.poll(() => proxy.counts().open).toBe(1);
  proxy.refuse();
  using two = await client(proxy.port);
  expect(await two.closed).toBe('ECONNREFUSED');
  one.say('still\n');
  await expect.poll(one.got).toBe('echo:still\n');
  await proxy.accept();
  using three = await client(proxy.port);
  three.say('again\n');
  await expect.poll(three.got).toBe('echo:again\n');
});

it('accepting twice at once listens once, and refusing in between wins', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  proxy.refuse();
  await Promise.all([proxy.accept(), proxy.accept()]);
  using one = await client(proxy.port);
  one.say('a\n');
  await expect.poll(one.got).toBe('echo:a\n');
  proxy.refuse();
  const accepting = proxy.accept();
  proxy.refuse();
  await accepting;
  using two = await client(proxy.port);
  expect(await two.closed).toBe('ECONNREFUSED');
});

it('an upstream that is not there resets the client, and is counted', async () => {
  const server = await echoServer();
  await server.close();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  expect(await one.closed).toBe('ECONNRESET');
  expect(proxy.counts()).toMatchObject({ refused: 1, cut: 0 });
});

it('setUpstream() sends new connections elsewhere and leaves open ones', async () => {
  await using former = await echoServer('former');
  await using latter = await echoServer('latter');
  await using proxy = await tcpProxy({ upstream: former });
  using one = await client(proxy.port);
  one.say('a\n');
  await expect.poll(one.got).toBe('former:a\n');
  proxy.setUpstream(latter);
  using two = await client(proxy.port);
  for (const each of [one, two]) each.say('b\n');
  await expect.poll(one.got).toBe('former:a\nformer:b\n');
  await expect.poll(two.got).toBe('latter:b\n');
});

it.each([0, 1, 5])(
  'cutAfterBytes(%d) lets so many bytes reach the client and not one more',
  async (count) => {
    await using server = await echoServer();
    await using proxy = await tcpProxy({ upstream: server });
    using one = await client(proxy.port);
    const cut = proxy.cutAfterBytes(count, 'to-client');
    one.say('a\n');
    expect(await cut).toBe(true);
    await one.closed;
    expect(one.got()).toBe('echo:a\n'.slice(0, count));
    expect(server.heard()).toBe('a\n');
    using two = await client(proxy.port); // Once only.
    two.say('b\n');
    await expect.poll(two.got).toBe('echo:b\n');
  },
);

it('cutAfterBytes counts over all connections and cuts only the one that met it', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  using two = await client(proxy.port);
  const cut = proxy.cutAfterBytes(3, 'to-upstream');
  one.say('a\n');
  await expect.poll(one.got).toBe('echo:a\n');
  two.say('b\n');
  expect(await cut).toBe(true);
  await two.closed;
  await expect.poll(server.heard).toBe('a\nb');
  one.say('c\n');
  await expect.poll(one.got).toBe('echo:a\necho:c\n');
});

it('cutBefore a text to the upstream: it never arrives', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  const cut = proxy.cutBefore('COMMIT', 'to-upstream');
  one.say('INSERT\nCOMMIT\n');
  expect(await cut).toBe(true);
  await one.closed;
  await expect.poll(server.heard).toBe('INSERT\n');
});

it('cutBefore a text to the client: the upstream has acted, the client never hears', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  const cut = proxy.cutBefore('COMMIT', 'to-client');
  one.say('INSERT\n');
  await expect.poll(one.got).toBe('echo:INSERT\n');
  one.say('COMMIT\n');
  expect(await cut).toBe(true);
  await one.closed;
  expect(server.heard()).toBe('INSERT\nCOMMIT\n');
  expect(one.got()).not.toContain('COMMIT');
});

it('delay() holds bytes back for at least so long, in order, and 0 ends it', async () => {
  await using server = await echoServer();
  await using proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  proxy.delay(60);
  const began = performance.now();
  one.say('a\n');
  one.say('b\n');
  await expect.poll(one.got, { interval: 5 }).toBe('echo:a\necho:b\n');
  // There and back; timers may fire a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(118);
  proxy.delay(0);
  one.say('c\n');
  await expect.poll(one.got).toContain('echo:c\n');
});

it('close() ends open, paused and delayed connections at once and disarms what has not tripped', async () => {
  await using server = await echoServer();
  const proxy = await tcpProxy({ upstream: server });
  using one = await client(proxy.port);
  const never = proxy.cutAfterBytes(1_000, 'to-client');
  proxy.delay(60_000);
  one.say('delayed\n');
  await expect.poll(() => proxy.counts().open).toBe(1);
  proxy.pause();
  proxy.refuse();
  await Promise.all([proxy.close(), proxy.close()]);
  expect(await never).toBe(false);
  await one.closed;
  expect(server.heard()).toBe('');
  expect(proxy.counts()).toMatchObject({ cut: 0 });
});

it.each<[why: string, make: (proxy: Awaited<ReturnType<typeof tcpProxy>>) => unknown]>([
  ['a negative count', (proxy) => proxy.cutAfterBytes(-1, 'to-client')],
  ['an empty text', (proxy) => proxy.cutBefore('', 'to-client')],
  ['a delay that a timer cannot hold', (proxy) => proxy.delay(2 ** 31)],
])('refuses %s', async (_why, make) => {
  await using proxy = await tcpProxy({ upstream: { port: 1 } });
  expect(() => make(proxy)).toThrow(TypeError);
});
