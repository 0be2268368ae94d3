import { createHash, createHmac } from 'node:crypto';
import { canonicalForm } from './canonical-form.js';

/** A secret for keyed fingerprints. The id is stored beside each fingerprint, the secret never. */
export interface FingerprintSecret {
  /** 1 to 32 letters, digits, `_` or `-`. Never give an old id to a new secret. */
  readonly id: string;
  readonly secret: string | Uint8Array;
}

export type FingerprintMatch = 'same' | 'different' | 'unknown-version';

/** The fingerprint of one call, and how it compares with one that was stored, perhaps by another version. */
export interface Fingerprint {
  readonly text: string;
  /** `unknown-version` when it was made by a version or a secret that this process does not have. */
  compare(stored: string): FingerprintMatch;
}

/** Makes the fingerprints of calls: path and raw decoded input in, text out. */
export type Fingerprinter = (path: string, input: unknown) => Fingerprint;

/**
 * Text forms: `1.<digest>` (SHA-256) and `1k.<secret id>.<digest>` (HMAC-SHA-256), digests in base64url. A new
 * algorithm takes the next number and goes on comparing the old ones, so that a rolling deploy refuses nobody.
 *
 * @param secrets The first one signs; the others are still compared, so that a secret can be rotated. With secrets, a
 * stored fingerprint does not let anyone guess a short input (a PIN) by trying all of them.
 */
export function fingerprinter(secrets: readonly FingerprintSecret[] = []): Fingerprinter {
  for (const { id } of secrets)
    if (!/^[\w-]{1,32}$/.test(id))
      throw new TypeError('a fingerprint secret needs an id of 1 to 32 letters, digits, _ or -');
  return (path, input) => {
    const content = JSON.stringify([path, canonicalForm(input)]);
    const [current] = secrets;
    return {
      text: current ? keyed(current, content) : plain(content),
      compare(stored) {
        const again = sameVersion(stored, content, secrets);
        return again === undefined ? 'unknown-version' : again === stored ? 'same' : 'different';
      },
    };
  };
}

function sameVersion(
  stored: string,
  content: string,
  secrets: readonly FingerprintSecret[],
): string | undefined {
  const [version, id] = stored.split('.');
  if (version === '1') return plain(content);
  if (version !== '1k') return undefined;
  const secret = secrets.find((candidate) => candidate.id === id);
  return secret && keyed(secret, content);
}

function plain(content: string): string {
  return `1.${createHash('sha256').update(content).digest('base64url')}`;
}

function keyed({ id, secret }: FingerprintSecret, content: string): string {
  return `1k.${id}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}
