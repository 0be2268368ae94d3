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
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await client.eval(lua, 1, key, ...args);
    }
  };
}
