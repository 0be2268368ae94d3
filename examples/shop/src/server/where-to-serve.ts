import { once } from 'node:events';
import { createServer } from 'node:net';
import { CannotBeginError } from '../cannot-begin-error.js';

export interface WhereToServe {
  readonly port: number;
  /** Whether somebody named this port: then no other will do. */
  readonly portAsked: boolean;
}

/** PORT, or else 3000. @throws CannotBeginError when that is no port */
export function whereToServe(env: Readonly<Record<string, string | undefined>>): WhereToServe {
  const port = env['PORT'] || undefined;
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
    throw new CannotBeginError(`PORT takes a port number from 0 (any free one) to 65535, not "${port}"`);
  return { port: Number(port ?? 3_000), portAsked: port !== undefined };
}

/** Starts it there, or at a free port where that one is taken and nobody asked for it. */
export async function startAt<T>(
  { port, portAsked, say }: WhereToServe & { readonly say: (text: string) => void },
  start: (port: number) => Promise<T>,
): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if (!isTaken(error) || portAsked) throw error;
    say(`\nPort ${port} is taken, so the shop takes a free one.`);
    return start(0);
  }
}

/** @throws CannotBeginError when somebody asked for a port where somebody listens: better said at once than at the end. */
export async function mustBeFree({ port, portAsked }: WhereToServe): Promise<void> {
  if (!portAsked || port === 0) return;
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw isTaken(error)
      ? new CannotBeginError(`port ${port}, which PORT asks for, is taken: PORT=0 takes a free one`)
      : error;
  }
  server.close();
  await once(server, 'close');
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
