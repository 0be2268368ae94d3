/** Run before the tests: installs a Redis where there is none and it can. */
import { ensureRedisBinary } from './ensure-redis-binary.js';

try {
  ensureRedisBinary();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
