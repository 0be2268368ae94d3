import { type LocalRedisCluster, startRedisCluster } from '@trpc-once/local-services';
import { redisClaims } from '@trpc-once/server';
import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byAnother, claim, completed, type OpenClaims, settled } from '../conformance/claims-fixtures.js';
import { claimsSuite } from '../conformance/claims-suite.js';
import { until } from '../resources/index.js';
import { movingSlot } from './moving-slot.js';

let cluster: LocalRedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster[Symbol.asyncDispose]());

interface OpenCluster extends OpenClaims {
  readonly client: Cluster;
  onAllNodes<T>(run: (node: Redis) => Promise<T>): Promise<T[]>;
}

async function openCluster(options?: Parameters<typeof redisClaims>[1]): Promise<OpenCluster> {
  const client = new Cluster([...cluster.addresses], { redisOptions: { password: cluster.password } });
  client.on('error', () => {});
  const claims = redisClaims(client, options);
  const onAllNodes = <T>(run: (node: Redis) => Promise<T>) => Promise.all(client.nodes().map(run));
  const forget = async () => void (await onAllNodes((node) => node.flushall()));
  await client.ping();
  await forget();
  return {
    ...{ claims, client, onAllNodes, forget },
    isEmpty: async () => (await onAllNodes((node) => node.dbsize())).every((size) => size === 0),
    async [Symbol.asyncDispose]() {
      await claims.close();
      client.disconnect();
    },
  };
}

describe('claims in a Redis Cluster', () => claimsSuite(openCluster));

/** Enough to lie on every node, and in slots of their own. */
const ids = Array.from({ length: 60 }, (_, n) => ({ ...claim.id, key: `k${n}` }));

describe('operations on every node of a Redis Cluster', () => {
  test('are claimed, renewed, watched, settled and released, though every node forgets its scripts in between', async () => {
    await using opened = await openCluster();
    const { claims, onAllNodes } = opened;
    const forgetScripts = () => onAllNodes((node) => node.script('FLUSH'));
    const each = <T>(run: (id: (typeof ids)[number], n: number) => Promise<T>) => Promise.all(ids.map(run));
    const all = <T>(value: T): T[] => ids.map(() => value);

    expect(await each((id) => claims.claim({ ...claim, id }))).toEqual(all({ kind: 'ACQUIRED' }));
    for (const size of await onAllNodes((node) => node.dbsize())) expect(size).toBeGreaterThan(5);
    await forgetScripts();
    expect(await each((id) => claims.renew({ ...claim, id }))).toEqual(all('RENEWED'));
    const heard = new Set<number>();
    await forgetScripts();
    const stops = await each(async (id, n) => claims.watch?.(id, () => heard.add(n)));
    await forgetScripts();
    const half = (n: number) => n % 2 === 0;
    await each((id, n) => (half(n) ? claims.settle({ ...settled, id }) : claims.release({ ...claim, id })));
    await until(() => heard.size === ids.length, { what: 'the news of every operation is heard' });
    await forgetScripts();
    expect(await each((id) => claims.claim({ ...byAnother, id }))).toEqual(
      ids.map((_, n) => (half(n) ? { kind: 'SETTLED', outcome: completed } : { kind: 'ACQUIRED' })),
    );
    for (const stop of stops) stop?.();
  });

  test('can be claimed again after a node was killed and came back with neither scripts nor claims', async () => {
    await using opened = await openCluster();
    const { claims } = opened;
    for (const id of ids) await claims.claim({ ...claim, id });
    await cluster.nodes[1]?.restart();
    await cluster.whole();
    const errors: unknown[] = [];
    const renewed = (id: (typeof ids)[number]) =>
      until(
        () =>
          claims.renew({ ...claim, id }).catch((error) => {
            errors.push(error);
            return undefined;
          }),
        { withinMs: 20_000, everyMs: 100 },
      );
    // The ones that were forgotten are taken anew, the others were never lost.
    expect(await Promise.all(ids.map(renewed))).toEqual(ids.map(() => 'RENEWED'));
    expect(await Promise.all(ids.map((id) => claims.claim({ ...byAnother, id })))).toEqual(
      ids.map(() => expect.objectContaining({ kind: 'IN_PROGRESS' })),
    );
    for (const error of errors) expect(String(error)).not.toMatch(/NOSCRIPT|CROSSSLOT/);
  });

  test('keep their owners while their slot moves from one node to another', async () => {
    // A prefix with braces puts everything into one slot: nothing that anyone should do, but of use here.
    const prefix = '{moving}once:';
    await using opened = await openCluster({ prefix });
    const { claims, client } = opened;
    const numbered = (n: number) => ({ ...claim, id: { ...claim.id, key: `moving-${n}` } });
    let next = 0;
    /** What was claimed is still its owner's, and something new can be claimed, whatever scripts a node knows. */
    const holds = async () => {
      await opened.onAllNodes((node) => node.script('FLUSH'));
      for (let n = 0; n < next; n++) {
        expect(await claims.renew(numbered(n))).toBe('RENEWED');
        const another = await claims.claim({ ...numbered(n), ownerToken: 'two' });
        expect(another).toMatchObject({ kind: 'IN_PROGRESS' });
      }
      expect(await claims.claim(numbered(next))).toEqual({ kind: 'ACQUIRED' });
      next += 1;
    };
    for (let n = 0; n < 4; n++) await holds();
    const slot = await movingSlot(client, prefix, cluster.password);
    await slot.begin();
    await holds();
    for (let n = 0; n < 3; n++) {
      expect(await slot.move(1)).toBe(1);
      await holds();
    }
    expect(await slot.move(100)).toBeGreaterThan(0);
    await holds();
    await slot.end();
    // And now the client is wrong about where the slot is.
    await holds();
    await claims.settle({ ...settled, id: numbered(0).id });
    expect(await claims.claim(numbered(0))).toMatchObject({ kind: 'SETTLED' });
  });
});
