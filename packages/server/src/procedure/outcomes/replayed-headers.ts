import { wireHeaders } from '@trpc-once/contract';

/** What a handler may set of its response's headers: those on the allow-list, which are stored and replayed. */
export interface ReplayedHeaders {
  /**
   * @throws TypeError for a header that is not on the allow-list, or a value that no header can carry.
   * @example headers.set('Location', `/orders/${order.id}`)
   */
  set(name: string, value: string): void;
}

/** Says where the result is; nothing of it belongs to one connection or one person's session. */
export const defaultReplayedHeaders: readonly string[] = ['location', 'content-location', 'link'];

/** A credential must never be kept, and never be given to whoever repeats a request. */
const credentials = [
  ...['set-cookie', 'set-cookie2', 'cookie', 'authorization', 'proxy-authorization'],
  ...['www-authenticate', 'proxy-authenticate'],
];

/** About one message and its body, or about the operation: said anew with each answer. */
const ofOneMessage = [
  ...['content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'trailer'],
  ...['connection', 'keep-alive', 'upgrade'],
  ...Object.values(wireHeaders).map((name) => name.toLowerCase()),
];

/**
 * Reads an allow-list.
 * @throws TypeError when it names a header that carries a credential, or that belongs to one message.
 */
export function allowedHeaders(names: readonly string[]): ReadonlySet<string> {
  // Names that no header can have are refused here.
  const allowed = new Set(new Headers(Object.fromEntries(names.map((name) => [name, '']))).keys());
  for (const name of allowed) {
    if (credentials.includes(name))
      throw new TypeError(`replayedHeaders must not name ${name}: it carries a credential`);
    if (ofOneMessage.includes(name))
      throw new TypeError(`replayedHeaders must not name ${name}: each answer has its own`);
  }
  return allowed;
}

/** Collects the headers of one run of a handler. */
export class HeaderCollector implements ReplayedHeaders {
  readonly #allowed: ReadonlySet<string>;
  readonly #headers = new Headers();

  constructor(allowed: ReadonlySet<string>) {
    this.#allowed = allowed;
  }

  set(name: string, value: string): void {
    if (!this.#allowed.has(name.toLowerCase()))
      throw new TypeError(
        `the header ${name} is not replayed: name it in createOnce({ replayedHeaders: ['${name}'] }), or leave it`,
      );
    this.#headers.set(name, value);
  }

  /** As it is stored; undefined when there are none. */
  encoded(): string | undefined {
    const headers = Object.fromEntries(this.#headers);
    return Object.keys(headers).length > 0 ? JSON.stringify(headers) : undefined;
  }
}
