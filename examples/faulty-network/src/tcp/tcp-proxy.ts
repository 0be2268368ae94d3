import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Loopback, listenOnLoopback } from '../loopback.js';
import { Conditions } from './conditions.js';
import { Connection } from './connection.js';
import { afterBytes, beforeText, type Direction, TripWires } from './trip-wire.js';

export interface TcpUpstream {
  /** @default '127.0.0.1' */
  readonly host?: string;
  readonly port: number;
}

export interface TcpCounts {
  /** Connections that are open now. */
  readonly open: number;
  /** Connections taken since the proxy began. */
  readonly accepted: number;
  /** Connections that the proxy cut. */
  readonly cut: number;
  /** Connections that the upstream did not take. */
  readonly refused: number;
  /** Bytes that passed, both ways. */
  readonly bytes: { readonly [D in Direction]: number };
}

export interface TcpProxy extends AsyncDisposable {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** A snapshot. */
  counts(): TcpCounts;
  /** Resets (RST), or closes, every open connection; says how many. New ones are taken as before. */
  cut(how?: 'reset' | 'close'): number;
  /**
   * Lets nothing through in either direction, new connections included; nothing is closed and nothing is lost: a
   * partition. Not even a client's leaving reaches the upstream before `resume()`.
   */
  pause(): void;
  resume(): void;
  /** Stops listening, so that new connections get ECONNREFUSED; open ones go on. */
  refuse(): void;
  /**
   * Listens again, at the same port.
   * @throws the listener's error when another process took the port and keeps it for 2 s.
   */
  accept(): Promise<void>;
  /**
   * Lets `count` more bytes pass in `direction`, over all connections, then closes the connection that the next byte
   * was for. With 0, `to-client`: the next reply is lost. Once; the promise says whether it happened before `close()`.
   */
  cutAfterBytes(count: number, direction: Direction): Promise<boolean>;
  /**
   * Closes the connection instead of letting `text` pass in `direction`. With `COMMIT`, `to-upstream`: it was never
   * committed; `to-client`: it was, and the acknowledgement is lost. Once, as `cutAfterBytes`.
   */
  cutBefore(text: string, direction: Direction): Promise<boolean>;
  /** Holds back everything that arrives from now on for `ms`, in order; 0 ends it. */
  delay(ms: number): void;
  /** Where connections go from now on; open ones stay where they are. */
  setUpstream(upstream: TcpUpstream): void;
  /** Ends every socket and timer at once; what was held back is never delivered. */
  close(): Promise<void>;
}

/**
 * Carries bytes between clients and one upstream on loopback, until told to misbehave. Put it in front of Redis or
 * Postgres.
 *
 * @example
 * ```ts
 * await using postgres = await tcpProxy({ upstream: { port: 5432 } });
 * const acknowledgementLost = postgres.cutBefore('COMMIT', 'to-client');
 * await client.query('COMMIT').catch(() => {});
 * await acknowledgementLost; // true: committed, and nobody was told
 * ```
 */
export async function tcpProxy(options: { upstream: TcpUpstream; port?: number }): Promise<TcpProxy> {
  const closing = new AbortController();
  const conditions = new Conditions(closing.signal);
  const wires = new TripWires();
  const connections = new Set<Connection>();
  const counts = { accepted: 0, cut: 0, refused: 0, bytes: { 'to-upstream': 0, 'to-client': 0 } };
  let { upstream: target } = options;

  const take = (client: Socket): void => {
    counts.accepted++;
    const upstream = connect({ host: '127.0.0.1', ...target, allowHalfOpen: true });
    const connection = new Connection({
      ...{ client, upstream, conditions, wires },
      onPassed: (direction, byteCount) => {
        counts.bytes[direction] += byteCount;
      },
      onRefused: () => {
        counts.refused++;
      },
      onCut: () => {
        if (!closing.signal.aborted) counts.cut++;
      },
      onClosed: () => connections.delete(connection),
    });
    connections.add(connection);
  };

  const listen = (port: number) => listenOnLoopback(createServer({ allowHalfOpen: true }, take), port);
  const first = await listen(options.port ?? 0);
  const { port } = first;
  /** The last one listens, unless refusing; the others still have connections. */
  const listeners: Loopback[] = [first];
  let refusing = false;

  const close = async () => {
    closing.abort();
    wires.disarm();
    for (const connection of connections) connection.cut('close');
    await Promise.all(listeners.map((listener) => listener.close()));
  };

  return {
    host: '127.0.0.1',
    port,
    counts: () => ({ ...counts, bytes: { ...counts.bytes }, open: connections.size }),
    cut: (how = 'reset') => [...connections].filter((connection) => connection.cut(how)).length,
    pause: () => conditions.pause(),
    resume: () => conditions.resume(),
    refuse() {
      refusing = true;
      for (const listener of listeners) listener.stop();
    },
    async accept() {
      if (!refusing) return;
      refusing = false;
      try {
        const again = await persistently(() => listen(port), closing.signal);
        listeners.push(again);
        if (closing.signal.aborted) await again.close();
        else if (refusing) again.stop(); // Told to refuse again meanwhile.
      } catch (error) {
        refusing = true;
        throw error;
      }
    },
    cutAfterBytes: (count, direction) => wires.arm(direction, afterBytes(count)),
    cutBefore: (text, direction) => wires.arm(direction, beforeText(text)),
    delay: (ms) => conditions.delay(ms),
    setUpstream: (upstream) => {
      target = upstream;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The port may have gone to some client's outgoing connection meanwhile; those are short. Tries for 2 s. */
async function persistently<T>(listen: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let triesLeft = 100; ; triesLeft--) {
    try {
      return await listen();
    } catch (error) {
      if (triesLeft === 0) throw error;
      await wait(20, undefined, { signal });
    }
  }
}
