/** Starts both services and never disposes of them. */
import { startPostgres } from '../postgres/start-postgres.js';
import { startRedis } from '../redis/start-redis.js';
import { childrenOf } from './children-of.js';

const how = process.argv[2];
const postgres = await startPostgres();
const redis = await startRedis();
const pids = [postgres.pid, ...childrenOf(postgres.pid), redis.pid];
if (how === 'paused') {
  postgres.pause();
  redis.pause();
}
process.stdout.write(JSON.stringify(pids));
if (how !== 'ends by itself') setInterval(() => {}, 60_000);
