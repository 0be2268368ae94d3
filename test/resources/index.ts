export { freePort, startPostgres, startRedis, until } from '@trpc-once/local-services';
export { type FreshDatabase, freshDatabase } from './fresh-database.js';
export { type FreshRedis, freshRedis } from './fresh-redis.js';
export { type Exit, type Program, type ProgramOptions, spawnProgram } from './spawn-program.js';
