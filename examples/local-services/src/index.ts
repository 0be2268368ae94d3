export { freePort } from './free-port.js';
export type { LocalPostgres, PostgresStopMode } from './postgres/local-postgres.js';
export { type PostgresOptions, startPostgres } from './postgres/start-postgres.js';
export { type Guard, type GuardOptions, startGuard } from './process/guard.js';
export { type EnsureRedisOptions, ensureRedisBinary } from './redis/ensure-redis-binary.js';
export { findRedisBinary } from './redis/find-redis-binary.js';
export type { LocalRedis } from './redis/local-redis.js';
export { type RedisOptions, startRedis } from './redis/start-redis.js';
export { type UntilOptions, until } from './until.js';
