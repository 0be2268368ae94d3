import { findOnPath } from '../process/find-on-path.js';

/** The first Redis or Valkey server on PATH; `undefined` when there is none. */
export function findRedisBinary(path?: string): string | undefined {
  // The servers that speak the protocol and run Lua, in order of preference.
  return findOnPath(['redis-server', 'valkey-server'], path);
}

/** A Valkey server on PATH, for `startRedis({ binary })` and the rest; `undefined` when there is none. */
export function findValkeyBinary(path?: string): string | undefined {
  return findOnPath(['valkey-server'], path);
}
