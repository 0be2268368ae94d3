import { refusals } from '@trpc-once/contract';
import { parent } from './parent.js';

console.log('printed early');
if (process.env['FAIL_EARLY']) {
  console.error('no luck');
  process.exit(7);
}
process.once('SIGTERM', () => process.exit(0));
const [missing] = Object.keys(refusals);
parent.tell('ready', { args: process.argv.slice(2), missing });
for (;;) parent.tell('said', await parent.hear('say', 60_000));
