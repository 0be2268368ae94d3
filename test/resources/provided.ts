import 'vitest';

/** What the global setup hands to every test file. */
declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres on which databases may be made; its own database is only for that. */
    readonly postgresUrl: string;
    readonly redisUrl: string;
    /** How many logical databases tests may use for themselves; 0 where the Redis is somebody's own. */
    readonly redisDatabases: number;
  }
}
