import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A loopback port that nobody listens on now. Somebody else may take it before you do: prefer port 0 where the program
 * can tell which it got, and be ready to ask again where it cannot.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}
