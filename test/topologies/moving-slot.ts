import type { Cluster, Redis } from 'ioredis';

/** A slot on its way from one node of a cluster to another, as an operator's tool moves it. */
export interface MovingSlot {
  /** From here the old node sends whoever asks for a key that it does not have to the new one (ASK). */
  begin(): Promise<void>;
  /** Moves up to so many keys, and says how many there were. */
  move(count: number): Promise<number>;
  /** From here every node sends whoever asks for the slot to the new one (MOVED). */
  end(): Promise<void>;
}

/** The slot of `key`, which has to be there. */
export async function movingSlot(client: Cluster, key: string, password: string): Promise<MovingSlot> {
  const slot = await client.cluster('KEYSLOT', key);
  const masters = client.nodes('master');
  const held = await Promise.all(masters.map((node) => node.cluster('COUNTKEYSINSLOT', slot)));
  const from = masters[held.findIndex((count) => count > 0)] as Redis;
  const to = masters[held.indexOf(0)] as Redis;
  const idOf = async (node: Redis) => String(await node.cluster('MYID'));
  return {
    async begin() {
      await to.cluster('SETSLOT', slot, 'IMPORTING', await idOf(from));
      await from.cluster('SETSLOT', slot, 'MIGRATING', await idOf(to));
    },
    async move(count) {
      const keys = (await from.cluster('GETKEYSINSLOT', slot, count)) as string[];
      const where = ['127.0.0.1', String(to.options.port), '', '0', '5000', 'AUTH', password];
      if (keys.length > 0) await from.call('MIGRATE', ...where, 'KEYS', ...keys);
      return keys.length;
    },
    async end() {
      const id = await idOf(to);
      // The new one first, so that nobody is sent to a node that does not know of its luck.
      for (const node of [to, ...masters.filter((each) => each !== to)])
        await node.cluster('SETSLOT', slot, 'NODE', id);
    },
  };
}
