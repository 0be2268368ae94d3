import { type TcpProxy, tcpProxy } from '@trpc-once/faulty-network';

/** How the servers reach a service. */
export interface Line {
  readonly url: string;
  /** What carries it, and can be cut; none where the connection is encrypted, which a line in between would spoil. */
  readonly line: TcpProxy | undefined;
}

/** Puts a line that can be cut in front of the service at `url`. */
export async function lineTo(url: string): Promise<Line> {
  const target = new URL(url);
  const isEncrypted = target.protocol === 'rediss:' || /^ssl/.test([...target.searchParams.keys()].join());
  if (isEncrypted || target.hostname === '') return { url, line: undefined };
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port) || (target.protocol.startsWith('redis') ? 6379 : 5432);
  const line = await tcpProxy({ upstream: { host, port } });
  target.hostname = line.host;
  target.port = String(line.port);
  return { url: target.href, line };
}
