import type { RecordCodec } from '@trpc-once/client';

const { subtle } = globalThis.crypto;
const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const toBytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

export const newKey = () =>
  subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

/** What an app would write: AES-GCM, with the key's name in front, so that records of former keys are read. */
export function aesGcmCodec(keys: Readonly<Record<string, CryptoKey>>, current: string): RecordCodec {
  return {
    async encode(text) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const sealed = await subtle.encrypt(
        { name: 'AES-GCM', iv },
        keys[current]!,
        new TextEncoder().encode(text),
      );
      return `${current}.${toText(iv)}.${toText(new Uint8Array(sealed))}`;
    },
    async decode(text) {
      const [name = '', iv = '', sealed = ''] = text.split('.');
      const key = keys[name];
      if (!key) throw new Error(`there is no key ${name}`);
      return new TextDecoder().decode(
        await subtle.decrypt({ name: 'AES-GCM', iv: toBytes(iv) }, key, toBytes(sealed)),
      );
    },
  };
}
