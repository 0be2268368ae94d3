/**
 * `npm run quick-start`: the README's server, on PORT (3000), over the stores that DATABASE_URL and REDIS_URL name, or
 * embedded ones. `npm run quick-start order`, in another terminal: an order from it.
 */
import { requireNode } from './require-node.mjs';

requireNode();
const { once } = await import('node:events');
const { createServer } = await import('node:net');
const { install } = await import('./install.mjs');
const { fromSource, run } = await import('./run.mjs');

const [program = 'server'] = process.argv.slice(2);
const port = Number(process.env.PORT ?? 3000);
if (program !== 'server' && program !== 'order') {
  console.error(
    `There is no ${program}: npm run quick-start serves, npm run quick-start order orders from it.`,
  );
  process.exit(2);
}
await install();
if (program === 'server') {
  await mustBeFree();
  console.log('Starting; once it answers, order in another terminal: npm run quick-start order');
}
process.exit(await run(process.execPath, [...fromSource, `examples/quick-start/src/${program}.ts`]));

async function mustBeFree() {
  const probe = createServer().listen(port);
  try {
    await once(probe, 'listening');
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(
      `Port ${port} is taken. Say another one, here and where you order: PORT=${port + 1} npm run quick-start`,
    );
    process.exit(1);
  }
  await new Promise((resolve) => probe.close(resolve));
}
