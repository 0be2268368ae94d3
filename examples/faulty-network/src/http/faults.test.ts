import { describe, expect, it } from 'vitest';
import { type Fault, faultNames, faults } from '../faults.js';
import { script } from '../schedule/schedule.js';
import { heldSleep } from '../testing/held-sleep.js';
import { rawCall } from '../testing/raw-call.js';
import { recordingUpstream } from '../testing/recording-upstream.js';
import { faultyProxy } from './faulty-proxy.js';

const hanging: readonly Fault[] = ['lose-request-hang', 'lose-answer-hang'];

describe.each(faultNames)('%s', (fault) => {
  const { reaches, client } = faults[fault];

  it(`reaches upstreams ${reaches} times, byte for byte, and is answered in full each time`, async () => {
    await using upstream = await recordingUpstream();
    const proxy = await faultyProxy({
      upstreams: [upstream.url],
      schedule: script([{ fault, delayMs: 20 }]),
    });
    await using _ = proxy;
    const call = rawCall(proxy.port, { 'X-Exact': 'Kept AS it is', 'Idempotency-Key': '"k"' });
    if (hanging.includes(fault)) {
      await expect.poll(proxy.counts).toMatchObject({ requests: 1, answered: reaches });
      call.leave();
    }
    await call.received;
    await proxy.quiet();
    expect(upstream.seen).toHaveLength(reaches);
    await expect.poll(() => upstream.answered()).toBe(reaches);
    for (const { method, path, rawHeaders, body } of upstream.seen) {
      expect({ method, path, body }).toEqual({
        method: 'POST',
        path: '/trpc/orders.place',
        body: '{"sku":"tea"}',
      });
      expect(rawHeaders.join()).toContain('X-Exact,Kept AS it is,Idempotency-Key,"k"');
    }
    const counts = proxy.counts();
    expect(counts).toMatchObject({
      requests: 1,
      forwarded: reaches,
      answered: reaches,
      broken: 0,
      refused: 0,
    });
    expect(counts.duplicates).toBe(reaches === 2 ? 1 : 0);
    expect(counts.faults).toEqual({ ...Object.fromEntries(faultNames.map((name) => [name, 0])), [fault]: 1 });
  });

  it(`gives the client: ${client}`, async () => {
    await using upstream = await recordingUpstream();
    await using proxy = await faultyProxy({
      upstreams: [upstream.url],
      schedule: script([{ fault, delayMs: 20 }]),
    });
    const call = rawCall(proxy.port);
    if (hanging.includes(fault)) {
      await expect.poll(proxy.counts).toMatchObject({ requests: 1, answered: reaches });
      call.leave();
    }
    const received = await call.received;
    switch (client) {
      case 'answer':
      case 'late':
        expect(received).toMatchObject({
          ended: 'whole',
          status: 200,
          body: expect.stringMatching(/^{"copy":[12]}$/),
        });
        break;
      case 'nothing':
        expect(received.bytes).toBe('');
        break;
      case 'part':
        expect(received).toMatchObject({ ended: 'closed', status: 200 });
        expect('{"copy":1}'.startsWith(received.body)).toBe(true);
        break;
      case 'foreign':
        expect(received.ended).toBe('whole');
        expect(received.body).not.toContain('copy');
        break;
    }
    await proxy.quiet();
    const how = client === 'nothing' || client === 'part' ? 'cut' : 'answered';
    expect(proxy.counts().clients).toEqual({
      ...{ answered: 0, cut: 0, gone: 0 },
      [hanging.includes(fault) ? 'gone' : how]: 1,
    });
  });
});

it('a reset is seen as a reset, a close as a close', async () => {
  await using upstream = await recordingUpstream();
  const course = script(['reset-at-once', 'lose-request', 'lose-answer-reset', 'lose-answer-close']);
  await using proxy = await faultyProxy({ upstreams: [upstream.url], schedule: course });
  const ends: string[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) ends.push((await rawCall(proxy.port).received).ended);
  expect(ends).toEqual(['reset', 'closed', 'reset', 'closed']);
});

it('an answer is lost only after the upstream has given all of it', async () => {
  let finish = () => {};
  await using upstream = await recordingUpstream((response) => {
    response.write('{"half":');
    finish = () => response.end('true}');
  });
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['lose-answer-reset']),
  });
  const call = rawCall(proxy.port);
  await expect.poll(() => upstream.seen.length).toBe(1);
  expect(proxy.counts().clients.cut).toBe(0);
  finish();
  expect((await call.received).ended).toBe('reset');
  await expect.poll(() => upstream.answered()).toBe(1);
});

it.each([0, 0.5, 0.999_999])('a cut at %d of the body leaves some of it and not all', async (cutAt) => {
  const whole = JSON.stringify({ text: 'x'.repeat(50_000) });
  await using upstream = await recordingUpstream((response) => void response.end(whole));
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script([{ fault: 'lose-answer-cut', cutAt }]),
  });
  const { body, ended } = await rawCall(proxy.port).received;
  expect(ended).toBe('closed');
  expect(body).toBe(whole.slice(0, 1 + Math.floor(cutAt * (whole.length - 1))));
  expect(body.length).toBeLessThan(whole.length);
});

it('an answer without a body is cut in its head', async () => {
  await using upstream = await recordingUpstream((response) => void response.writeHead(204).end());
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script([{ fault: 'lose-answer-cut', cutAt: 0.999 }]),
  });
  const { bytes } = await rawCall(proxy.port).received;
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes).not.toContain('\r\n\r\n');
});

it('a delayed request reaches the upstream although its client has given up', async () => {
  await using upstream = await recordingUpstream();
  const held = heldSleep();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script([{ fault: 'delay-request', delayMs: 1_234 }]),
    sleep: held.sleep,
  });
  const call = rawCall(proxy.port);
  await expect.poll(() => held.asked).toEqual([1_234]);
  call.leave();
  await expect.poll(() => proxy.counts().clients.gone).toBe(1);
  expect(upstream.seen).toHaveLength(0);
  held.release();
  await proxy.quiet();
  expect(upstream.seen).toHaveLength(1);
  await expect.poll(() => upstream.answered()).toBe(1);
});

it('a delayed answer has been given by the upstream long before the client gets it', async () => {
  await using upstream = await recordingUpstream();
  const held = heldSleep();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['delay-answer']),
    sleep: held.sleep,
  });
  const call = rawCall(proxy.port);
  await expect.poll(() => proxy.counts().answered).toBe(1);
  expect(proxy.counts().clients.answered).toBe(0);
  held.release();
  expect((await call.received).body).toBe('{"copy":1}');
});

it('a late second copy goes out when the client already has its answer', async () => {
  await using upstream = await recordingUpstream();
  const held = heldSleep();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['duplicate-late']),
    sleep: held.sleep,
  });
  expect((await rawCall(proxy.port).received).body).toBe('{"copy":1}');
  expect(upstream.seen).toHaveLength(1);
  held.release();
  await proxy.quiet();
  expect(upstream.seen).toHaveLength(2);
});

it('copies sent together are in the upstream at the same time', async () => {
  const waiting: (() => void)[] = [];
  await using upstream = await recordingUpstream((response, copy) => {
    waiting.push(() => response.end(`{"copy":${copy}}`));
    if (waiting.length === 2) for (const answer of waiting) answer(); // Neither is answered before both are there.
  });
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['duplicate-together']),
  });
  expect((await rawCall(proxy.port).received).status).toBe(200);
});

it('the client does not wait for the slower of two copies sent together, but quiet() does', async () => {
  let finish = () => {};
  await using quick = await recordingUpstream();
  await using slow = await recordingUpstream((response) => {
    finish = () => response.end('{}');
  });
  await using proxy = await faultyProxy({
    upstreams: [quick.url, slow.url],
    schedule: script([{ fault: 'duplicate-together', answerOf: 1 }]),
  });
  expect((await rawCall(proxy.port).received).body).toBe('{"copy":1}');
  await expect.poll(() => slow.seen.length).toBe(1);
  let quiet = false;
  const waited = proxy.quiet().then(() => {
    quiet = true;
  });
  await fetch(quick.url); // Time for anything that would not wait.
  expect(quiet).toBe(false);
  finish();
  await waited;
  expect(proxy.counts().answered).toBe(2);
});

it.each([1, 2] as const)(
  'of copies sent in turn, the client gets the answer of copy %d',
  async (answerOf) => {
    await using upstream = await recordingUpstream();
    await using proxy = await faultyProxy({
      upstreams: [upstream.url],
      schedule: script([{ fault: 'duplicate-in-turn', answerOf }]),
    });
    expect((await rawCall(proxy.port).received).body).toBe(`{"copy":${answerOf}}`);
  },
);

it.each(['duplicate-together', 'duplicate-in-turn', 'duplicate-late'] as const)(
  '%s reaches two instances where there are two',
  async (fault) => {
    await using one = await recordingUpstream();
    await using two = await recordingUpstream();
    await using proxy = await faultyProxy({
      upstreams: [one.url, two.url],
      schedule: script([fault]),
    });
    await rawCall(proxy.port).received;
    await proxy.quiet();
    expect([one.seen.length, two.seen.length]).toEqual([1, 1]);
  },
);

it.each([502, 503, 504] as const)('a broken gateway answers HTML with %d', async (gatewayStatus) => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script([{ fault: 'gateway-error-after', gatewayStatus }]),
  });
  const { status, bytes } = await rawCall(proxy.port).received;
  expect(status).toBe(gatewayStatus);
  expect(bytes.toLowerCase()).toContain('content-type: text/html');
  expect(upstream.seen).toHaveLength(1);
});

it('a rate limit is plain JSON with a second to wait, a captive portal an HTML success', async () => {
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['too-many-requests', 'captive-portal']),
  });
  const limited = await fetch(proxy.url);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await limited.json()).toEqual({ message: 'Too many requests' });
  const portal = await fetch(proxy.url);
  expect([portal.status, portal.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});
