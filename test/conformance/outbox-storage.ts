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

/** A place that several tabs or processes have open at once. */
export interface SharedPlace extends ExposedPlace {
  /** One more, beside what is open. */
  another(): Promise<OutboxStorage>;
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

    test('one record is read as it is now, and none where there is none', async () => {
      await using place = await make();
      const storage = await place.open();
      expect(await storage.get(id('k1'))).toBeUndefined();
      await storage.set(id('k1'), 'one');
      await storage.set(id('k2'), '');
      expect(await storage.get(id('k1'))).toEqual({ id: id('k1'), text: 'one' });
      expect(await storage.get(id('k2'))).toEqual({ id: id('k2'), text: '' });
      await storage.delete(id('k1'));
      expect(await storage.get(id('k1'))).toBeUndefined();
    });

    test('changes of one record that are asked for at once happen in their order', async () => {
      await using place = await make();
      const storage = await place.open();
      const sizes = Array.from({ length: 12 }, (_, n) => `${n}`.repeat(n % 2 ? 1 : 30_000));
      await Promise.all(sizes.map((text) => storage.set(id('k1'), text)));
      expect((await storage.get(id('k1')))?.text).toBe(sizes.at(-1));
      await Promise.all([storage.set(id('k1'), 'more'), storage.delete(id('k1'))]);
      expect(await storage.entries()).toEqual([]);
    });

    test('a swap takes place only if what it expects is there', async () => {
      await using place = await make();
      const storage = await place.open();
      const swaps: [former: string | undefined, next: string | undefined, did: boolean, left?: string][] = [
        ['one', 'two', false],
        ['', 'two', false],
        [undefined, 'one', true, 'one'],
        [undefined, 'two', false, 'one'],
        ['on', 'two', false, 'one'],
        ['one', '', true, ''],
        [undefined, 'two', false, ''],
        ['', 'two', true, 'two'],
        ['one', undefined, false, 'two'],
        [undefined, undefined, false, 'two'],
        ['two', undefined, true],
        [undefined, undefined, true],
      ];
      for (const [former, next, did, left] of swaps) {
        expect([former, next, await storage.swap(id('k1'), former, next)]).toEqual([former, next, did]);
        expect((await storage.get(id('k1')))?.text).toBe(left);
      }
      await storage.swap(id('k1'), undefined, 'kept');
      expect(await texts(await place.open())).toEqual({ [id('k1')]: 'kept' });
    });

    test('of many swaps at once exactly one wins, and what it wrote is there', async () => {
      await using place = await make();
      const storage = await place.open();
      for (const former of [undefined, 'begun']) {
        if (former) await storage.set(id('k1'), former);
        else await storage.delete(id('k1'));
        const texts = Array.from({ length: 10 }, (_, n) => `writer ${n}`);
        const did = await Promise.all(texts.map((text) => storage.swap(id('k1'), former, text)));
        expect(did.filter(Boolean).length).toBe(1);
        expect((await storage.get(id('k1')))?.text).toBe(texts[did.indexOf(true)]);
      }
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
  test(`${name}: a damaged record is not taken for none, nor replaced by who expects none`, async () => {
    await using place = await make();
    const storage = await place.open();
    await storage.set(id('k1'), 'one');
    await place.damage(id('k1'));
    const again = await place.open();
    expect((await again.entries()).length).toBe(1);
    expect(await again.swap(id('k1'), undefined, 'two')).toBe(false);
    expect(await again.swap(id('k1'), 'one', 'two')).toBe(false);
    expect((await again.get(id('k1')))?.text).not.toBe('two');
    expect(await again.get(id('k1'))).toBeDefined();
    await again.set(id('k1'), 'two');
    expect(await texts(again)).toEqual({ [id('k1')]: 'two' });
  });

  test(`${name}: a damaged record is deleted under whatever names it, and no other with it`, async () => {
    await using place = await make();
    const storage = await place.open();
    for (const key of ['k1', 'k2', 'k3']) await storage.set(id(key), key);
    await place.damage(id('k2'));
    const again = await place.open();
    const [damaged] = (await again.entries()).filter(({ text }) => text !== 'k1' && text !== 'k3');
    await again.delete(damaged!.id);
    expect(await texts(again)).toEqual({ [id('k1')]: 'k1', [id('k3')]: 'k3' });
    expect(await texts(await place.open())).toEqual({ [id('k1')]: 'k1', [id('k3')]: 'k3' });
  });
}

/** The same, and what two of them that are open at once do. */
export function sharedStorageConformance(name: string, make: () => Promise<SharedPlace>): void {
  exposedStorageConformance(name, make);

  test(`${name}: each sees what the other has stored, replaced and deleted`, async () => {
    await using place = await make();
    const [one, other] = [await place.open(), await place.another()];
    await one.set(id('k1'), 'one');
    await other.set(id('k2'), 'two');
    expect(await texts(one)).toEqual({ [id('k1')]: 'one', [id('k2')]: 'two' });
    await other.set(id('k1'), 'one, later');
    expect((await one.get(id('k1')))?.text).toBe('one, later');
    await one.delete(id('k2'));
    expect(await texts(other)).toEqual({ [id('k1')]: 'one, later' });
  });

  test(`${name}: changes of different records by two writers never undo each other`, async () => {
    await using place = await make();
    const both = [await place.open(), await place.another()];
    const keys = Array.from({ length: 20 }, (_, n) => id(`k${n}`));
    await Promise.all(keys.map((key, n) => both[n % 2]!.set(key, `by ${n % 2}`)));
    await Promise.all(keys.map((key, n) => n % 4 === 0 && both[1]!.delete(key)));
    const left = keys.filter((_, n) => n % 4 !== 0);
    expect(Object.keys(await texts(both[0]!)).sort()).toEqual(left.sort());
  });

  test(`${name}: of two writers that swap at once exactly one wins, every time`, async () => {
    await using place = await make();
    const both = [await place.open(), await place.another()];
    let former: string | undefined;
    for (let round = 0; round < 10; round += 1) {
      const texts = both.map((_, n) => `round ${round}, writer ${n}`);
      const did = await Promise.all(both.map((storage, n) => storage.swap(id('k1'), former, texts[n]!)));
      expect(did.filter(Boolean).length).toBe(1);
      former = texts[did.indexOf(true)]!;
      expect((await both[round % 2]!.get(id('k1')))?.text).toBe(former);
    }
  });
}
