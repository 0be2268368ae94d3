import { setMaxListeners } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as timer } from 'node:timers/promises';
import { listenOnLoopback } from '../loopback.js';
import type { Schedule } from '../schedule/decision.js';
import { AttemptCounter } from './attempt-counter.js';
import { ClientLeft, Exchange } from './exchange.js';
import { inject } from './inject.js';
import { counted, noCounts, type ProxyCounts } from './proxy-counts.js';
import type { ProxyEvent } from './proxy-event.js';
import { Upstreams } from './upstreams.js';

export interface FaultyProxyOptions {
  /** Where requests go: http: origins, asked in turn; one that refuses the connection is passed over. */
  readonly upstreams: readonly (string | URL)[];
  /** Which fault befalls which request: `schedule(seed, weights)`, or `script([...])` for a test. */
  readonly schedule: Schedule;
  /**
   * The header whose value names what a request is about. Keys are random, so where a run must be repeatable, send a
   * name of your own (`x-drill-operation: 12`) and give that header's name here. A request without the header is
   * about its method and path.
   * @default 'idempotency-key'
   */
  readonly identityHeader?: string;
  /** @default 0: a free one, see `port` of the proxy */
  readonly port?: number;
  /** Told of everything, as it happens. What it throws is reported as a process warning and changes nothing. */
  readonly onEvent?: (event: ProxyEvent) => void;
  /** How delays wait; a test gives one that it releases by hand. Must reject when `signal` aborts. @default a timer */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export interface FaultyProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** A snapshot. */
  counts(): ProxyCounts;
  /** Replaces the list, for requests forwarded from now on: a server process came back at another port. */
  setUpstreams(upstreams: readonly (string | URL)[]): void;
  /** Replaces the schedule, for requests that arrive from now on; attempts are counted on. */
  setSchedule(schedule: Schedule): void;
  /**
   * Resolves when nothing is under way any more: no request held back, no late second copy still to be sent. Wait for
   * it before counting what the upstreams did. A client that hangs without a timeout of its own keeps it waiting.
   */
  quiet(): Promise<void>;
  /** Ends every socket and timer at once, held-back requests included: they are then never forwarded. */
  close(): Promise<void>;
}

/**
 * A reverse proxy on loopback that does to HTTP/1.1 requests what its schedule says. It reads every request to its end
 * before it forwards it, and streams the answer only where no fault is to be injected. CORS preflights pass, are not
 * counted and number no attempt; made-up answers allow the asking origin, so that a browser page sees what Node sees.
 *
 * @throws TypeError when an upstream is not an http: origin.
 * @example
 * ```ts
 * await using network = await faultyProxy({
 *   upstreams: ['http://127.0.0.1:4001', 'http://127.0.0.1:4002'],
 *   schedule: schedule(7),
 *   identityHeader: 'x-drill-operation',
 * });
 * await fetch(`${network.url}/trpc/orders.place`, { method: 'POST', headers: { 'x-drill-operation': '12' } });
 * ```
 */
export async function faultyProxy(options: FaultyProxyOptions): Promise<FaultyProxy> {
  const { identityHeader = 'idempotency-key', onEvent, sleep = wait } = options;
  const upstreams = new Upstreams(options.upstreams);
  const attempts = new AttemptCounter();
  // Idle connections go after a second: well before a Node server closes them at its 5 s, so that no request is
  // written to one that is just being closed, and lost without the schedule's having said so.
  const agent = new Agent({ keepAlive: true, timeout: 1_000 });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // One listener for each request under way; there may be hundreds.
  const underWay = new Set<Promise<void>>();
  let current = options.schedule;
  let counts = noCounts;

  const tell = (event: ProxyEvent) => {
    if (closing.signal.aborted) return; // What closing breaks off is nobody's failure.
    counts = counted(counts, event);
    try {
      onEvent?.(event);
    } catch (error) {
      process.emitWarning(error as Error);
    }
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts = {
      ...{ request, response, upstreams, agent, closing: closing.signal },
      sleep: async (ms: number) => void (await sleep(ms, closing.signal)),
    };
    if (isPreflight(request)) return new Exchange({ ...parts, emit: () => {} }).stream();
    const { method = 'GET', url: path = '/' } = request;
    const named = request.headers[identityHeader.toLowerCase()];
    const identity = typeof named === 'string' ? named : `${method} ${path.split('?')[0]}`;
    const attempt = attempts.next(identity);
    const decision = current.decide(identity, attempt);
    tell({ type: 'arrived', identity, attempt, method, path, decision });
    await inject(
      new Exchange({ ...parts, emit: (event) => tell({ identity, attempt, ...event }) }),
      decision,
    );
  };

  const server = createServer({ keepAliveTimeout: 0, requireHostHeader: false }, (request, response) => {
    const handled = handle(request, response)
      .catch((error: unknown) => {
        // Anything else is a defect in here, and must be seen.
        if (!closing.signal.aborted && !(error instanceof ClientLeft)) throw error;
      })
      .finally(() => underWay.delete(handled));
    underWay.add(handled);
  });
  const { port, close: closeServer } = await listenOnLoopback(server, options.port ?? 0);

  let closed: Promise<void> | undefined;
  const closeNow = async () => {
    closing.abort();
    await closeServer();
    agent.destroy();
    await Promise.all(underWay);
  };
  const close = () => {
    closed ??= closeNow();
    return closed;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    counts: () => counts,
    setUpstreams: (origins) => upstreams.set(origins),
    setSchedule: (schedule) => {
      current = schedule;
    },
    async quiet() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'access-control-request-method' in headers;
}

function wait(ms: number, signal: AbortSignal): Promise<unknown> {
  return timer(ms, undefined, { signal });
}
