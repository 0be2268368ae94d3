import type { Socket } from 'node:net';
import { reset } from '../reset.js';
import type { Conditions } from './conditions.js';
import { Line } from './line.js';
import type { Direction, TripWires } from './trip-wire.js';

export interface ConnectionOptions {
  readonly client: Socket;
  /** May still be connecting. */
  readonly upstream: Socket;
  readonly conditions: Conditions;
  readonly wires: TripWires;
  readonly onPassed: (direction: Direction, byteCount: number) => void;
  readonly onRefused: () => void;
  readonly onCut: () => void;
  /** Both ends are closed. */
  readonly onClosed: () => void;
}

/** A client's connection and its other half, with a line each way. */
export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { client, upstream, conditions, wires, onPassed } = options;
    const carry = (from: Socket, to: Socket, direction: Direction) =>
      new Line({
        ...{ from, to, conditions },
        cutAt: (bytes, line) => wires.trip(direction, bytes, line),
        onPassed: (byteCount) => onPassed(direction, byteCount),
        // Closed, not reset: a reset may overtake the bytes before it.
        cut: () => this.cut('close'),
      });
    carry(client, upstream, 'to-upstream');
    carry(upstream, client, 'to-client');
    this.#watch();
  }

  /** Ends both halves at once; whether there was anything left to end. */
  cut(how: 'reset' | 'close'): boolean {
    const { client, upstream, onCut } = this.#options;
    if (client.destroyed && upstream.destroyed) return false;
    onCut();
    for (const socket of [client, upstream]) {
      // A socket that is still connecting would put the reset off until it stands.
      if (how === 'reset' && !socket.connecting) reset(socket);
      else socket.destroy();
    }
    return true;
  }

  #watch(): void {
    const { client, upstream, onRefused, onClosed } = this.#options;
    const refused = () => onRefused();
    upstream.once('error', refused);
    upstream.once('connect', () => upstream.off('error', refused));
    let open = 2;
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.once('close', () => {
        open--;
        if (open === 0) onClosed();
      });
    }
  }
}
