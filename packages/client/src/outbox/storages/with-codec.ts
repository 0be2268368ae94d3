import { v5 } from 'uuid';
import { isOutboxStorageError, OutboxStorageError } from '../../errors/outbox-storage-error.js';
import type { OutboxStorage, StoredEntry } from '../store/storage.js';
import { turns } from './turns.js';

/** How records are written, such as encrypted. */
export interface RecordCodec {
  encode(text: string): string | Promise<string>;
  /**
   * The text that was encoded. Throws when it cannot tell: the record is then set aside as it is. Where the key cannot be
   * had just now (a locked device), throw an `OutboxStorageError` with reason `unavailable` instead: calls are then refused
   * before anything is sent, rather than made beside an operation that cannot be seen.
   */
  decode(text: string): string | Promise<string>;
  /**
   * What a record is stored under, the same every time, for an id that tells the owner and the key. @default a digest of
   * the id (UUIDv5): keys are random, so it tells nothing; with keys of the caller's own that can be guessed, make it a
   * keyed digest (HMAC)
   */
  nameOf?(id: string): string | Promise<string>;
}

export interface CodecOptions {
  /**
   * Whether records from before there was a codec are taken over, and encoded when they are first read. Who can write to
   * the storage can then make operations of their own. @default false: they are set aside as they are
   */
  readonly adoptPlain?: boolean;
}

const NAMES = '6f0aa2b6-2a5f-4b0e-9d3c-1c1f5b0d7a43';

/**
 * A storage whose records are encoded: what lies in it shows how many there are, how long each is and when it was written,
 * and neither owner, intent, procedure, input nor outcome. Whoever changes the codec's key keeps decoding with the former
 * one: every change of a record writes it anew.
 *
 * Of the codec's own, only texts count: an authenticated cipher (AES-GCM) also keeps others from making operations.
 *
 * @example
 * ```ts
 * const storage = withCodec(indexedDbStorage(), { encode: encrypt, decode: decrypt });
 * ```
 */
export function withCodec(
  storage: OutboxStorage,
  codec: RecordCodec,
  { adoptPlain = false }: CodecOptions = {},
): OutboxStorage {
  const name = `${storage.name} with a codec`;
  const inTurn = turns();
  /** So that a record which cannot be decoded any more is not taken for one that is gone. */
  const known = new Map<string, string>();

  const nameOf = async (id: string) => (codec.nameOf ? textOf(await codec.nameOf(id)) : v5(id, NAMES));
  const orRefuse = async (what: string, act: () => Promise<string>): Promise<string> => {
    try {
      return await act();
    } catch (cause) {
      if (isOutboxStorageError(cause)) throw cause;
      throw new OutboxStorageError(name, 'codec', `the record could not be ${what}: ${cause}`, cause);
    }
  };
  const rowOf = (id: string) => orRefuse('named', () => nameOf(id));
  /** The id goes in with the text, so that a record copied to another name is nobody's. */
  const encode = (id: string, text: string) =>
    orRefuse('encoded', async () => textOf(await codec.encode(`${id}\n${text}`)));
  const decode = async (entry: StoredEntry): Promise<StoredEntry> => {
    const { id: row, text } = entry;
    try {
      if (text === undefined) throw new Error('it cannot be read');
      const content = await codec.decode(text);
      const end = content.indexOf('\n');
      const id = content.slice(0, end);
      if (end < 0 || (await nameOf(id)) !== row) throw new Error('it is not the record that was stored here');
      known.set(row, id);
      return { id, text: content.slice(end + 1) };
    } catch (cause) {
      if (isOutboxStorageError(cause)) throw cause;
      return { ...entry, id: known.get(row) ?? row, reason: `cannot be decoded: ${cause}` };
    }
  };
  const adopt = async (plain: StoredEntry): Promise<StoredEntry> => {
    const { id, text } = plain;
    const row = await rowOf(id);
    // Another tab may have done the same, and changed it since.
    await storage.swap(row, undefined, await encode(id, text!));
    await storage.delete(id);
    const now = await storage.get(row);
    return now ? decode(now) : plain;
  };
  const change = <T>(id: string, act: (row: string) => Promise<T>) =>
    inTurn(id, async () => act(await rowOf(id)));

  return {
    name,
    durable: storage.durable,
    coordination: storage.coordination,
    async entries() {
      // The outbox's own ids are JSON; no name is.
      const isPlain = ({ id, text }: StoredEntry) => adoptPlain && text !== undefined && id.startsWith('[');
      const found = await storage.entries();
      return Promise.all(found.map((entry) => (isPlain(entry) ? adopt(entry) : decode(entry))));
    },
    get: (id) =>
      change(id, async (row) => {
        const entry = await storage.get(row);
        return entry && decode(entry);
      }),
    set: (id, text) =>
      change(id, async (row) => {
        await storage.set(row, await encode(id, text));
        known.set(row, id);
      }),
    swap: (id, former, next) =>
      change(id, async (row) => {
        const entry = await storage.get(row);
        const now = entry && (await decode(entry));
        if (now?.text !== former || now?.reason) return false;
        // Of the encoded text that was compared: whoever came between has written another.
        const did = await storage.swap(row, entry?.text, next === undefined ? next : await encode(id, next));
        if (did) known.set(row, id);
        return did;
      }),
    delete: (id) =>
      change(id, async (row) => {
        // One that cannot be decoded is named by its row, unless this process has known it.
        await storage.delete((await storage.get(row)) ? row : id);
        known.delete(row);
      }),
    ...(storage.close && { close: () => storage.close!() }),
  };
}

/** What is no text would be stored as one that says nothing, such as `undefined`. */
function textOf(given: unknown): string {
  if (typeof given === 'string') return given;
  throw new TypeError(`the codec gave ${given === null ? 'null' : typeof given} instead of a text`);
}
