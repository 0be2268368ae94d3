import type { Outcome } from '../../outcome/outcome.js';

/** Which outcome a body belongs to: bind it to the sealed text, so that nobody can swap two of them. */
export interface SealedOutcome {
  readonly procedure: string;
  readonly key: string;
  /** The principal, encoded. */
  readonly scope: string;
}

/**
 * Encrypts what is stored of outcomes, in Redis and Postgres alike. What went through `seal` years ago must still go
 * through `open` for as long as records are kept, so put the id of the secret into the text.
 *
 * @example AES-256-GCM
 * ```ts
 * const seal: OutcomeSeal = {
 *   seal(body, about) {
 *     const iv = randomBytes(12);
 *     const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(JSON.stringify(about)));
 *     const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
 *     return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
 *   },
 *   open(sealed, about) { … },
 * };
 * ```
 */
export interface OutcomeSeal {
  seal(body: string, about: SealedOutcome): string | Promise<string>;
  /** @throws anything when the text cannot be opened; the call is then answered 503 `unknown`, never run again. */
  open(sealed: string, about: SealedOutcome): string | Promise<string>;
}

/**
 * Seals a text.
 * @throws TypeError for what no store can keep, before anything is committed: later it could not be opened.
 */
export async function sealed(seal: OutcomeSeal, body: string, about: SealedOutcome): Promise<string> {
  const text: unknown = await seal.seal(body, about);
  if (typeof text !== 'string' || text.includes('\u0000'))
    throw new TypeError('nothing was committed: seal() must give a text without NUL, such as base64');
  return text;
}

/** Seals or opens what an outcome holds; without a seal, outcomes are stored as they are. */
export async function withContent(
  outcome: Outcome,
  change: ((text: string) => string | Promise<string>) | undefined,
): Promise<Outcome> {
  if (!change) return outcome;
  const { headers } = outcome;
  return {
    ...outcome,
    body: await change(outcome.body),
    ...(headers !== undefined && { headers: await change(headers) }),
  };
}
