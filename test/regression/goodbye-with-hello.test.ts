import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type OperationId, postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { expect, test } from 'vitest';

// Found by the soak: a Postgres that was just being restarted ended the whole server process. No real one can be made
// to do it when it is wanted, so these are its bytes.
test('a Postgres that says goodbye in the same breath as hello fails the call, and not the process', async () => {
  const sockets = new Set<Socket>();
  const postgres = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          message('R', Buffer.from([0, 0, 0, 0])), // let in
          message('Z', Buffer.from('I')), // ready for a query
          message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0')),
        ]),
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(postgres, 'listening');
  const { port } = postgres.address() as AddressInfo;
  const pool = new Pool({ host: '127.0.0.1', port, user: 'nobody', database: 'none' });
  pool.on('error', () => {});
  const id: OperationId = { scope: '["ann"]', key: 'k1' };
  try {
    await expect(postgresRecords(pool).read(id)).rejects.toThrow(/terminat|not queryable|connection/i);
  } finally {
    await pool.end();
    for (const socket of sockets) socket.destroy();
    postgres.close();
  }
});

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
