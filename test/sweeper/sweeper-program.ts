import { createOnce, postgresRecords } from '@trpc-once/server';
import { Pool } from 'pg';
import { parent } from '../resources/parent.js';

/** A process with a sweeper, which sweeps once whenever it is told. */

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 2 });
pool.on('error', () => {});
const once = createOnce({
  records: postgresRecords(pool),
  scope: () => 'ann',
  sweep: { batch: 25, share: 1 },
  onEvent: () => {},
});
parent.tell('ready');
for (;;) {
  await parent.hear('sweep', 600_000);
  parent.tell('swept', await once.sweeper.runOnce());
}
