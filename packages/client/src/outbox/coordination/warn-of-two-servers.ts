import type { OutboxStorage } from '../store/storage.js';

/** Where the first client over each storage sends; empty once it was said that there are two. */
const servers = new Map<string, string>();

/**
 * Says once that clients with different servers have one outbox: each then finds the other's operations in it, and parks
 * them. Two clients of one server are none: a module that is loaded anew while one develops makes one each time.
 */
export function warnOfTwoServers({ name }: OutboxStorage, server: string): void {
  const first = servers.get(name) ?? server;
  servers.set(name, first && first !== server ? '' : first);
  if (first && first !== server)
    console.warn(
      `${name} is the outbox of a client for ${first} and of one for ${server}, and each parks what the other sends: give each client a database (prefix, table, directory) of its own`,
    );
}
