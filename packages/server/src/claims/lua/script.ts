import { createHash } from 'node:crypto';

/** The two commands of a Redis client that scripts need; ioredis' `Redis` and `Cluster` both have them. */
export interface ScriptClient {
  evalsha(sha: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** Runs one script on one key. */
export type Script = (client: ScriptClient, key: string, ...args: (string | number)[]) => Promise<unknown>;

/**
 * Calls a script by its digest, and by its text where the server does not know it yet: after a restart, a SCRIPT FLUSH,
 * or on another node of a cluster.
 */
export function script(lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (client, key, ...args) => {
    try {
      return await client.evalsha(sha, 1, key, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw withoutArguments(error);
    }
    try {
      return await client.eval(lua, 1, key, ...args);
    } catch (error) {
      throw withoutArguments(error);
    }
  };
}

/**
 * ioredis notes on an error which command failed, with its arguments, and among these may be an outcome: the error goes to
 * events, and from there to logs.
 */
function withoutArguments(error: unknown): unknown {
  let at = error as { command?: unknown; lastNodeError?: unknown } | undefined;
  // A cluster's error carries the last node's.
  for (let depth = 0; depth < 3 && at instanceof Error; depth++, at = at.lastNodeError as typeof at)
    delete at.command;
  return error;
}
