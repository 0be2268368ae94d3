/** Run before the tests: installs PgBouncer where there is none and it can. Where it cannot, what needs it is skipped. */
import { ensurePgBouncer } from './ensure-pgbouncer.js';

try {
  ensurePgBouncer();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error('Without it the tests behind PgBouncer are skipped.');
}
