import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { CannotBeginError } from '../cannot-begin-error.js';
import { mustBeFree, startAt, whereToServe } from './where-to-serve.js';

const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE' });

/** Starts anywhere but at 3000. */
async function start(port: number): Promise<string> {
  if (port === 3_000) throw taken;
  return `at ${port}`;
}

it('a taken port is given up for a free one, which is said, unless it was asked for', async () => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  expect(await startAt({ ...whereToServe({}), say }, start)).toBe('at 0');
  expect(said).toEqual(['\nPort 3000 is taken, so the shop takes a free one.']);
  await expect(startAt({ ...whereToServe({ PORT: '3000' }), say }, start)).rejects.toBe(taken);
  expect(said).toHaveLength(1);
});

it('what fails for another reason is not tried again', async () => {
  const broken = new Error('no database');
  let runs = 0;
  const starting = startAt({ port: 3_000, portAsked: false, say: () => {} }, async () => {
    runs += 1;
    throw broken;
  });
  await expect(starting).rejects.toBe(broken);
  expect(runs).toBe(1);
});

it('a port that was asked for and is taken is told at once, and what would do', async () => {
  const somebody = createServer().listen(0, '127.0.0.1');
  await once(somebody, 'listening');
  const { port } = somebody.address() as AddressInfo;
  const asked = mustBeFree({ port, portAsked: true });
  await expect(asked).rejects.toThrow(CannotBeginError);
  await expect(asked).rejects.toThrow('PORT=0 takes a free one');
  await mustBeFree({ port, portAsked: false });
  somebody.close();
  await once(somebody, 'close');
  await mustBeFree({ port, portAsked: true });
});
