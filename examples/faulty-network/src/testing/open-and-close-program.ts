import { faultyProxy, script, tcpProxy } from '../index.js';
import { rawCall } from './raw-call.js';
import { recordingUpstream } from './recording-upstream.js';

/*
 * A program that leaves everything in the air when its block ends: a hanging client, a request held back for an hour,
 * an hour's delay on a TCP line, an idle connection. It must end by itself.
 */

// Unreferenced: it fires only when something else has kept the process alive.
setTimeout(() => process.exit(1), 7_000).unref();
{
  await using upstream = await recordingUpstream();
  await using proxy = await faultyProxy({
    upstreams: [upstream.url],
    schedule: script(['pass', 'lose-answer-hang', { fault: 'delay-request', delayMs: 3_600_000 }]),
  });
  await using tcp = await tcpProxy({ upstream });
  await (await fetch(proxy.url, { method: 'POST', headers: { 'idempotency-key': 'k' } })).text();
  rawCall(proxy.port, { 'idempotency-key': 'k' });
  rawCall(proxy.port, { 'idempotency-key': 'k' });
  tcp.delay(3_600_000);
  rawCall(tcp.port);
  while (proxy.counts().requests < 3 || tcp.counts().accepted < 1)
    await new Promise((resolve) => setImmediate(resolve));
}
console.log('closed');
