import { connect } from 'node:net';

/** What came back on one connection, as the wire had it. */
interface Received {
  readonly bytes: string;
  readonly status: number | undefined;
  readonly body: string;
  /** `whole`: an answer of the length that its head says. Else how the connection ended before there was one. */
  readonly ended: 'whole' | 'closed' | 'reset' | 'client left';
}

export interface RawCall {
  readonly received: Promise<Received>;
  /** Closes the client's side at once, as a client does whose attempt timed out. */
  leave(): void;
}

/** One POST over a socket of its own: no library in between that would retry, or hide how the connection ended. */
export function rawCall(port: number, headers: Record<string, string> = {}, body = '{"sku":"tea"}'): RawCall {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({ Host: 'shop', 'Content-Length': String(body.length), ...headers });
  socket.write(
    `POST /trpc/orders.place HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`,
  );
  let bytes = '';
  let left = false;
  let reset = false;
  const received = new Promise<Received>((resolve) => {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      bytes += chunk;
      if (isWhole(bytes)) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      reset = error.code === 'ECONNRESET';
    });
    socket.once('close', () => {
      const ended = isWhole(bytes) ? 'whole' : left ? 'client left' : reset ? 'reset' : 'closed';
      resolve({
        bytes,
        status: status(bytes),
        body: bytes.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
        ended,
      });
    });
  });
  return {
    received,
    leave() {
      left = true;
      socket.destroy();
    },
  };
}

function status(bytes: string): number | undefined {
  const line = /^HTTP\/1\.1 (\d{3}) /.exec(bytes);
  return line ? Number(line[1]) : undefined;
}

function isWhole(bytes: string): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = bytes.slice(0, end).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head);
  const body = bytes.slice(end + 4);
  return length ? body.length === Number(length[1]) : body.endsWith('0\r\n\r\n');
}
