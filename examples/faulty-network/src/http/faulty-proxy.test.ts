import { once } from 'node:events';
import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { expect, it } from 'vitest';
import { schedule, script } from '../schedule/schedule.js';
import { defaultWeights } from '../schedule/weights.js';
import { heldSleep } from '../testing/held-sleep.js';
import { rawCall } from '../testing/raw-call.js';
import { recordingUpstream } from '../testing/recording-upstream.js';
import { faultyProxy } from './faulty-proxy.js';
import type { ProxyEvent } from './proxy-event.js';

const calm = script([]);

it('passes method, path, query, repeated headers, bodies and answers as they are', async () => {
  await using upstream = await recordingUpstream((response) => {
    response.writeHead(418, 'Short and stout', [
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-CaSe', 'Kept', 'Content-Type', 'text/plain'],
    ]);
    response.end('no coffee');
  });
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const answer = await fetch(`${proxy.url}/trpc/a.b?batch=1&input=%7B%7D`, {
    method: 'PUT',
    headers: { 'x-one': '1', 'accept-language': 'de' },
    body: 'ä',
  });
  expect([answer.status, answer.statusText, answer.headers.get('x-case')]).toEqual([
    418,
    'Short and stout',
    'Kept',
  ]);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await answer.text()).toBe('no coffee');
  expect(upstream.seen).toMatchObject([{ method: 'PUT', path: '/trpc/a.b?batch=1&input=%7B%7D', body: 'ä' }]);
  expect(upstream.seen[0]?.rawHeaders.join()).toContain('accept-language,de');
});

it('passes header bytes that are not ASCII as they are', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  // Written as Latin-1 into the socket: the byte E9.
  const headers = ['Host', 'shop', 'Idempotency-Key', 'caf\u00e9'];
  const outgoing = openRequest({ port: proxy.port, method: 'POST', headers }).end();
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  await once(message.resume(), 'close');
  const { rawHeaders = [] } = upstream.seen[0] ?? {};
  expect(rawHeaders[rawHeaders.indexOf('Idempotency-Key') + 1]).toBe('caf\u00e9');
});

it('streams an answer that passes, before the upstream has finished it', async () => {
  let finish = () => {};
  await using upstream = await recordingUpstream((response) => {
    response.write('first ');
    finish = () => response.end('last');
  });
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const reader = (await fetch(proxy.url)).body!.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first ');
  finish();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('last');
  expect((await reader.read()).done).toBe(true);
});

it('passes the head of an answer on before there is any body', async () => {
  await using upstream = await recordingUpstream((response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.flushHeaders();
  });
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const answer = await fetch(proxy.url, { signal: AbortSignal.timeout(5_000) });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
});

it('passes a client’s leaving on, when there is no fault', async () => {
  await using upstream = await recordingUpstream(() => {});
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const call = rawCall(proxy.port);
  await expect.poll(() => upstream.seen.length).toBe(1);
  call.leave();
  await expect.poll(() => upstream.abandoned()).toBe(1);
  await proxy.quiet();
  expect(proxy.counts()).toMatchObject({ broken: 0, clients: { gone: 1 } });
});

it('keeps connections alive on both sides', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  for (let call = 0; call < 3; call++) {
    const outgoing = openRequest(proxy.url, { agent }).end();
    const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(message.resume(), 'close');
    reused.push(outgoing.reusedSocket);
  }
  agent.destroy();
  expect(reused).toEqual([false, true, true]);
  expect(upstream.connections()).toBe(1);
});

it('takes upstreams in turn, and goes past one that refuses', async () => {
  await using one = await recordingUpstream();
  const two = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [one.url, two.url], schedule: calm });
  for (let call = 0; call < 4; call++) await (await fetch(proxy.url)).text();
  expect([one.seen.length, two.seen.length]).toEqual([2, 2]);
  await two.close();
  for (let call = 0; call < 4; call++) expect((await fetch(proxy.url)).status).toBe(200);
  expect(one.seen.length).toBe(6);
  expect(proxy.counts()).toMatchObject({ forwarded: 8, refused: 2 });
});

it('does not send a request again when the upstream broke after taking it', async () => {
  await using breaking = await recordingUpstream((response) => void response.socket?.destroy());
  await using other = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [breaking.url, other.url], schedule: calm });
  const answer = await fetch(proxy.url, { method: 'POST' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
  expect(other.seen).toHaveLength(0);
  expect(proxy.counts()).toMatchObject({ forwarded: 1, broken: 1, answered: 0 });
});

it('cuts the client off when the upstream dies in the middle of an answer', async () => {
  await using upstream = await recordingUpstream((response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.socket?.destroy());
  });
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  expect(await rawCall(proxy.port).received).toMatchObject({ status: 200, body: 'half', ended: 'closed' });
  await proxy.quiet();
  expect(proxy.counts()).toMatchObject({ broken: 1, clients: { cut: 1 } });
});

it('answers 502 when nobody is there, and goes on when somebody is', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [], schedule: calm });
  expect((await fetch(proxy.url)).status).toBe(502);
  proxy.setUpstreams([upstream.url]);
  expect((await fetch(proxy.url)).status).toBe(200);
});

it('numbers attempts per identity, from the header that the caller names', async () => {
  await using upstream = await recordingUpstream();
  const arrived: string[] = [];
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: calm,
    identityHeader: 'X-Drill-Operation',
    onEvent: (event) => {
      if (event.type === 'arrived') arrived.push(`${event.identity} ${event.attempt}`);
    },
  });
  for (const operation of ['12', '13', '12'])
    await fetch(proxy.url, { headers: { 'x-drill-operation': operation } });
  await fetch(`${proxy.url}/stock?input=1`);
  await fetch(`${proxy.url}/stock?input=2`);
  expect(arrived).toEqual(['12 1', '13 1', '12 2', 'GET /stock 1', 'GET /stock 2']);
});

it('the same seed injects the same faults, whatever the order and the timing of the requests', async () => {
  const operations = Array.from({ length: 30 }, (_, at) => `operation ${at}`);
  // None that hang: they need a client with a timeout, and on a busy machine that may pass before the request is sent.
  const weights = { ...defaultWeights, 'lose-request-hang': 0, 'lose-answer-hang': 0 };
  const drill = async (seed: number, order: readonly string[], together: boolean) => {
    const injected: string[] = [];
    await using upstream = await recordingUpstream();
    await using proxy = await faultyProxy({
      upstreams: [upstream.url],
      schedule: schedule(seed, weights, { delayMs: { least: 1, most: 20 } }),
      onEvent: (event) => {
        if (event.type === 'arrived')
          injected.push(JSON.stringify([event.identity, event.attempt, event.decision]));
      },
    });
    const placed = order.map((identity) => async () => {
      for (let attempt = 1; attempt <= 3; attempt++) {
        const options = { headers: { 'idempotency-key': identity } };
        await fetch(proxy.url, options)
          .then((answer) => answer.text())
          .catch(() => {});
      }
    });
    if (together) await Promise.all(placed.map((place) => place()));
    else for (const place of placed) await place();
    return injected.sort();
  };
  const one = await drill(1, operations, true);
  expect(one).toHaveLength(90);
  expect(await drill(1, operations.toReversed(), false)).toEqual(one);
  expect(await drill(2, operations, true)).not.toEqual(one);
});

it('tells of every step, and counts exactly what it tells', async () => {
  await using upstream = await recordingUpstream();
  const events: ProxyEvent[] = [];
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['duplicate-in-turn']),
    onEvent: (event) => events.push(event),
  });
  await fetch(proxy.url, { headers: { 'idempotency-key': 'k' } });
  await proxy.quiet();
  expect(events.every(({ identity, attempt }) => identity === 'k' && attempt === 1)).toBe(true);
  expect(events.map((event) => ('copy' in event ? `${event.type} ${event.copy}` : event.type))).toEqual([
    'arrived',
    'forwarded 1',
    'answered 1',
    'forwarded 2',
    'answered 2',
    'ended',
  ]);
});

it('a hook that throws changes nothing but raises a warning', async () => {
  await using upstream = await recordingUpstream();
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: calm,
    onEvent: (event) => {
      if (event.type === 'arrived') throw new Error('a hook of the test');
    },
  });
  expect((await fetch(proxy.url)).status).toBe(200);
  expect((await warned).message).toBe('a hook of the test');
});

it('lets a preflight pass, unnumbered, and made-up answers be read by the page that asked', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['too-many-requests']),
  });
  const path = `${proxy.url}/trpc/orders.place`;
  const preflight = await fetch(path, {
    method: 'OPTIONS',
    headers: { origin: 'http://shop.test', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(200);
  expect(upstream.seen).toMatchObject([{ method: 'OPTIONS' }]);
  expect(proxy.counts().requests).toBe(0);
  const answer = await fetch(path, { method: 'POST', headers: { origin: 'http://shop.test' } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
    429,
    'http://shop.test',
  ]);
});

it('a new schedule holds for the requests that arrive after it', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: schedule(1, { 'gateway-error': 1 }),
  });
  expect((await fetch(proxy.url)).status).toBeGreaterThan(500);
  proxy.setSchedule(calm);
  expect((await fetch(proxy.url)).status).toBe(200);
});

it('a client that leaves in the middle of its request is nobody’s failure', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: calm });
  const call = rawCall(proxy.port, { 'Content-Length': '1000' });
  await expect.poll(() => proxy.counts().requests).toBe(1);
  call.leave();
  await proxy.quiet();
  expect(upstream.seen).toHaveLength(0);
  expect(proxy.counts()).toMatchObject({ forwarded: 0, clients: { gone: 1 } });
});

it('closing ends hanging clients, held-back requests and idle connections at once', async () => {
  await using upstream = await recordingUpstream();
  const held = heldSleep();
  const proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['lose-request-hang', 'delay-request']),
    sleep: held.sleep,
  });
  const hanging = rawCall(proxy.port);
  await expect.poll(() => proxy.counts().requests).toBe(1);
  const delayed = rawCall(proxy.port);
  await expect.poll(() => held.asked.length).toBe(1);
  await Promise.all([proxy.close(), proxy.close()]);
  expect((await hanging.received).ended).not.toBe('whole');
  expect((await delayed.received).ended).not.toBe('whole');
  held.release();
  expect(upstream.seen).toHaveLength(0);
  await expect(fetch(proxy.url)).rejects.toThrow();
});

it.each(['https://127.0.0.1', 'tcp://127.0.0.1:1', 'nonsense'])(
  'refuses %s as an upstream',
  async (origin) => {
    await expect(faultyProxy({ upstreams: [origin], schedule: calm })).rejects.toThrow(TypeError);
  },
);
