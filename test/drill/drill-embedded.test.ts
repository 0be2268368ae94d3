import { expect, test, vi } from 'vitest';
import { freePort } from '../resources/index.js';
import { startDrill } from './start-drill.js';

// A drill takes 5 to 10 s on two idle cores; a busy machine starts its processes in as many seconds as that.
vi.setConfig({ testTimeout: 180_000 });

const small = ['--orders', '60', '--clients', '3'];

test('embedded: every operation takes effect once, then the shop serves what the drill invites to, until Ctrl-C', async () => {
  const port = await freePort();
  await using drill = startDrill([...small, '--seed', '5'], { PORT: String(port) });
  const [, url] = await drill.says(/The shop is open at (\S+),.*charged once\..*accounts\.balance.*\n/s);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(drill.output()).toContain('For ONE process only');
  expect(drill.output()).toContain('Every operation took effect once.');
  const figures = ['operations', 'outcomes recorded', 'orders', 'ledger rows', 'declined', 'lost', 'doubled'];
  expect(figures.map(drill.figure)).toEqual(['60', '60', '56', '56', '4', '0', '0']);
  expect(drill.figure('clients killed -9')).toBe('2');
  expect(drill.figure('answers')).toBe('60');
  expect(Number(drill.figure('attempts'))).toBeGreaterThan(60);
  expect(Number(drill.figure('replays'))).toBeGreaterThan(0);
  expect(Number(drill.figure('connections cut'))).toBeGreaterThan(0);

  const [place, other] = invitations(drill.output());
  const first = await place!();
  const again = await place!();
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.text()).toBe(await first.text());
  expect((await other!()).status).toBe(422);
  const balance = await fetch(`${url}/accounts.balance`, { headers: { authorization: 'Bearer ada' } });
  expect(await balance.json()).toMatchObject({ result: { data: { balanceCents: 100_000 - 2 * 749 } } });

  drill.interrupt();
  expect(await drill.ended).toBe(0);
});

test('a drill that is interrupted ends at once with 130, and claims nothing', async () => {
  await using drill = startDrill(['--no-serve']);
  await drill.says(/operations · \d+ attempts/);
  drill.interrupt();
  expect(await drill.ended).toBe(130);
  expect(drill.output()).toMatch(/interrupted by SIGINT\n$/);
  expect(drill.figure('orders')).toBeUndefined();
});

test('arguments that make no sense end it with 2 before anything is started', async () => {
  await using drill = startDrill(['--orders', 'many']);
  expect(await drill.ended).toBe(2);
  expect(drill.output()).toBe(
    '--orders takes a whole number from 1 to 3000, not "many"\nnpm start -- --help tells what there is.\n',
  );
});

/** The `curl -si` commands it printed, as they would be sent. */
function invitations(output: string): (() => Promise<Response>)[] {
  const commands = output.matchAll(/curl -si (\S+) -H '(.*?)' \\\n +-H '(.*?)' -H '(.*?)' \\\n +-d '(.*?)'/g);
  return [...commands].map(([, url, ...rest]) => {
    const body = rest.pop()!;
    const headers = rest.map((header) => header.split(': ') as [string, string]);
    return () => fetch(url!, { method: 'POST', headers, body });
  });
}
