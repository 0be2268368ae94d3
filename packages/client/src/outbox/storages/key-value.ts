import { OutboxStorageError } from '../../errors/outbox-storage-error.js';
import { onOnePhone, type PhoneStorageOptions } from '../coordination/on-one-phone.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { refusal } from './refusal.js';
import { type Turns, turns } from './turns.js';

export interface KeyValueOptions extends PhoneStorageOptions {
  /** In front of every key, so that the app's own and other outboxes' are left alone. @default 'trpc-once:' */
  readonly prefix?: string;
}

/** A phone's key-value store, at once or after a while. */
export interface KeyValueStore {
  keys(): readonly string[] | Promise<readonly string[]>;
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, text: string): void | Promise<void>;
  remove(key: string): unknown;
}

/** Two outboxes of one app over one store take turns, or `swap` would not be one step. */
const turnsOf = new WeakMap<object, Turns>();

/** The storage over `store`, which stands for the app's `instance`. */
export function keyValueStorage(
  kind: string,
  instance: object,
  store: KeyValueStore,
  {
    prefix = 'trpc-once:',
    maxRecordBytes,
    coordination,
  }: KeyValueOptions & { readonly maxRecordBytes?: number },
): OutboxStorage {
  const name = `${kind} ${prefix}`;
  const inTurn = turnsOf.get(instance) ?? turns();
  turnsOf.set(instance, inTurn);

  const use = <T>(id: string, act: (key: string) => Promise<T>): Promise<T> => {
    const key = prefix + id;
    return inTurn(key, async () => {
      try {
        return await act(key);
      } catch (cause) {
        throw refusal(name, cause);
      }
    });
  };
  const put = async (key: string, text: string) => {
    if (maxRecordBytes !== undefined && utf8Length(text) > maxRecordBytes)
      throw new OutboxStorageError(name, 'too-large', `a record may have ${maxRecordBytes} bytes in UTF-8`);
    await store.set(key, text);
  };
  const read = async (id: string, key: string): Promise<StoredEntry | undefined> => {
    const text = await store.get(key);
    return typeof text === 'string' ? { id, text } : undefined;
  };
  // One by one: a row that Android cannot read would fail a reading of all of them.
  const readListed = (id: string) =>
    use(id, (key) => read(id, key)).catch((): StoredEntry => ({ id, text: undefined, unread: true }));

  return {
    name,
    durable: true,
    coordination: onOnePhone(name, coordination),
    async entries() {
      try {
        const keys = (await store.keys()).filter((key) => key.startsWith(prefix));
        const found = await Promise.all(keys.map((key) => readListed(key.slice(prefix.length))));
        return found.filter((entry) => entry !== undefined);
      } catch (cause) {
        throw refusal(name, cause, 'unavailable');
      }
    },
    get: (id) => use(id, (key) => read(id, key)),
    set: (id, text) => use(id, (key) => put(key, text)),
    swap: (id, former, next) =>
      use(id, async (key) => {
        if ((await read(id, key))?.text !== former) return false;
        await (next === undefined ? store.remove(key) : put(key, next));
        return true;
      }),
    delete: (id) => use(id, async (key) => void (await store.remove(key))),
  };
}

/** Without TextEncoder, which older Hermes lacks. */
function utf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair stands for two of its four bytes.
    length += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
  }
  return length;
}
