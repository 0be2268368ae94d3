import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';

/** Names what ends with the thread that holds it, however that ends: by `kill -9`, too, or with its worker. */
export interface Lifeline {
  /** Boot and network namespace: whoever has the same can tell. */
  readonly within: string;
  readonly name: string;
}

/**
 * A socket of Linux's abstract namespace: no file, nothing to clear away, and whoever is in the same network namespace can
 * connect to it, from another process namespace as well: a container that is started anew beside its fellows. One that is
 * stopped or busy still has it, so that it is not taken for dead.
 *
 * @returns `undefined` where there is no such thing: elsewhere than on Linux
 */
export async function holdLifeline(): Promise<(Lifeline & { release(): void }) | undefined> {
  const within = ownReach();
  if (!within) return undefined;
  const name = `trpc-once-${randomUUID()}`;
  const server = createServer((socket) => socket.destroy());
  // By this thread and no other: a cluster would have its primary hold it.
  const listens = await listen(server, name);
  // Some systems take the name and cannot be reached by it.
  if (listens && (await isHeld({ within, name }))) return { within, name, release: () => server.close() };
  server.close();
  return undefined;
}

/** Whether whoever holds it lives; `undefined` when that cannot be told from here. */
export async function isHeld({ within, name }: Lifeline): Promise<boolean | undefined> {
  if (within === '' || within !== ownReach()) return undefined;
  return new Promise((resolve) => {
    const socket = connect(`\0${name}`);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: it lives, and is too busy to take another connection.
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? false : code === 'EAGAIN' ? true : undefined),
    );
  });
}

function listen(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.on('error', () => resolve(false));
    server.listen({ path: `\0${name}`, exclusive: true }, () => resolve(true));
    server.unref();
  });
}

let reach: string | undefined;

function ownReach(): string {
  if (reach === undefined) {
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      reach = `${boot} ${readlinkSync('/proc/self/ns/net')}`;
    } catch {
      reach = '';
    }
  }
  return reach;
}
