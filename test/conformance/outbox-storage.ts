import type { OutboxStorage } from '@trpc-once/client';
import { describe, expect, test } from 'vitest';

/** One place that storages can be opened over, each time as a new process or page would. */
export interface StoragePlace extends AsyncDisposable {
  /** Closes what was opened before. */
  open(): Promise<OutboxStorage>;
}

/** A place that something else can get at, too. */
export interface ExposedPlace extends StoragePlace {
  /** Makes the stored text of an id something that no outbox wrote. */
  damage(id: string): Promise<void>;
}

const id = (key: string, owner: string | null = 'ann') => JSON.stringify([owner, key]);

async function texts(storage: OutboxStorage): Promise<Record<string, string | undefined>> {
  return Object.fromEntries((await storage.entries()).map((entry) => [entry.id, entry.text]));
}

/** What every outbox storage does. `make` gives an empty place. */
export function outboxStorageConformance(name: string, make: () => Promise<StoragePlace>): void {
  describe(`${name} as an outbox storage`, () => {
    test('a new one is empty', async () => {
      await using place = await make();
      expect(await (await place.open()).entries()).toEqual([]);
    });

    test('what was set is there for the next process, once set() has resolved', async () => {
      await using place = await make();
      await (await place.open()).set(id('k1'), 'one');
      expect(await texts(await place.open())).toEqual({ [id('k1')]: 'one' });
    });

    test('a text comes back byte for byte', async () => {
      await using place = await make();
      const text = JSON.stringify({
        all: '\u0000\u2028\u2029\ud7ff\ue000é😀"\\\r\n\t',
        body: '{"json":[1,{"a":null}]}',
      });
      const storage = await place.open();
      await storage.set(id('k1'), text);
      await storage.set(id('k2'), '');
      await storage.set(id('k3'), '\n\r\n first line is empty');
      expect(await texts(await place.open())).toEqual({
        [id('k1')]: text,
        [id('k2')]: '',
        [id('k3')]: '\n\r\n first line is empty',
      });
    });

    test('a large text is kept whole', async () => {
      await using place = await make();
      const text = 'é'.repeat(500_000);
      await (await place.open()).set(id('k1'), text);
      expect((await texts(await place.open()))[id('k1')]).toBe(text);
    });

    test('ids of any characters and the longest length are told apart, also where only the case differs', async () => {
      await using place = await make();
      const ids = [
        id('abc'),
        id('ABC'),
        id('../../etc/passwd'),
        id('a/b\\c:d*e?"<>|'),
        id('%2e%2e'),
        id('k', 'ann/../ben'),
        id('k', null),
        id('k', 'null'),
        id('k', ''),
        id('k'.repeat(255), 'o'.repeat(255)),
        id('k'.repeat(254), 'o'.repeat(255)),
        id('k', 'Ünïcode 😀 \u0000'),
      ];
      const storage = await place.open();
      for (const one of ids) await storage.set(one, `text of ${one}`);
      expect(await texts(await place.open())).toEqual(
        Object.fromEntries(ids.map((one) => [one, `text of ${one}`])),
      );
    });

    test('setting again replaces, and the last one holds', async () => {
      await using place = await make();
      const storage = await place.open();
      for (let n = 0; n < 10; n += 1) await storage.set(id('k1'), `version ${n}`);
      expect(await texts(storage)).toEqual({ [id('k1')]: 'version 9' });
      expect(await texts(await place.open())).toEqual({ [id('k1')]: 'version 9' });
    });

    test('what was deleted is gone for good, and deleting what is not there does nothing', async () => {
      await using place = await make();
      const storage = await place.open();
      await storage.set(id('k1'), 'one');
      await storage.set(id('k2'), 'two');
      await storage.delete(id('k1'));
      await storage.delete(id('k1'));
      await storage.delete(id('never'));
      expect(await texts(storage)).toEqual({ [id('k2')]: 'two' });
      expect(await texts(await place.open())).toEqual({ [id('k2')]: 'two' });
    });

    test('fifty at once are all kept', async () => {
      await using place = await make();
      const storage = await place.open();
      const ids = Array.from({ length: 50 }, (_, n) => id(`k${n}`));
      await Promise.all(ids.map((one) => storage.set(one, one)));
      await Promise.all(ids.slice(0, 25).map((one) => storage.delete(one)));
      const left = Object.keys(await texts(await place.open()));
      expect(left.sort()).toEqual(ids.slice(25).sort());
    });

    test('it can be closed before it was used, twice, and opened again', async () => {
      await using place = await make();
      const storage = await place.open();
      await storage.close?.();
      await storage.close?.();
      await (await place.open()).set(id('k1'), 'one');
      expect(await texts(await place.open())).toEqual({ [id('k1')]: 'one' });
    });
  });
}

/** The same, and what a storage does about what others did to it. */
export function exposedStorageConformance(name: string, make: () => Promise<ExposedPlace>): void {
  outboxStorageConformance(name, make);

  test(`${name}: one damaged record hides none of the others`, async () => {
    await using place = await make();
    const storage = await place.open();
    for (const key of ['k1', 'k2', 'k3']) await storage.set(id(key), key);
    await place.damage(id('k2'));
    const found = await texts(await place.open());
    expect(found).toMatchObject({ [id('k1')]: 'k1', [id('k3')]: 'k3' });
    expect(Object.values(found)).not.toContain('k2');
    expect(Object.keys(found).length).toBe(3);
  });
}
