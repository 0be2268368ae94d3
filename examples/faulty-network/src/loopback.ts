import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Loopback {
  readonly port: number;
  /** Stops listening at once; connections stay. */
  stop(): void;
  /** Stops listening and destroys every connection at once, idle ones included; resolves when all are gone. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 only: nothing of this is meant to be reached from outside.
 * @param port 0 for a free one
 * @throws the listener's error, EADDRINUSE for one
 */
export async function listenOnLoopback(server: Server, port: number): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const closed = once(server, 'close');
  const stop = () => {
    if (server.listening) server.close();
  };
  return {
    port: (server.address() as AddressInfo).port,
    stop,
    async close() {
      stop();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
