export { type EnsureChromiumOptions, ensureChromium, findChromium } from './chromium/ensure-chromium.js';
export { freePort } from './free-port.js';
export { type EnsurePgBouncerOptions, ensurePgBouncer, findPgBouncer } from './pgbouncer/ensure-pgbouncer.js';
export { pgBouncerVersion } from './pgbouncer/pgbouncer-version.js';
export { type LocalPgBouncer, type PgBouncerOptions, startPgBouncer } from './pgbouncer/start-pgbouncer.js';
export { findSystemPostgres } from './postgres/find-system-postgres.js';
export type { LocalPostgres, PostgresStopMode } from './postgres/local-postgres.js';
export { type PostgresOptions, startPostgres } from './postgres/start-postgres.js';
export { type Guard, type GuardOptions, startGuard } from './process/guard.js';
export { type EnsureRedisOptions, ensureRedisBinary } from './redis/ensure-redis-binary.js';
export { findRedisBinary, findValkeyBinary } from './redis/find-redis-binary.js';
export type { LocalRedis } from './redis/local-redis.js';
export { type RedisOptions, startRedis } from './redis/start-redis.js';
export {
  type LocalRedisCluster,
  type RedisClusterOptions,
  startRedisCluster,
} from './redis/start-redis-cluster.js';
export {
  type LocalRedisSentinels,
  type RedisSentinelsOptions,
  startRedisSentinels,
} from './redis/start-redis-sentinels.js';
export { type UntilOptions, until } from './until.js';
