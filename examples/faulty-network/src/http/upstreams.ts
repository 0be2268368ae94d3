/** The servers behind the proxy, asked in turn. The list can change while requests are under way. */
export class Upstreams {
  #list: readonly URL[] = [];
  #turn = 0;

  constructor(origins: readonly (string | URL)[]) {
    this.set(origins);
  }

  /** @throws TypeError for anything but an http: origin. */
  set(origins: readonly (string | URL)[]): void {
    const list = origins.map((origin) => new URL(origin));
    for (const { protocol, href } of list) {
      if (protocol !== 'http:') throw new TypeError(`an upstream must be an http: origin, not ${href}`);
    }
    this.#list = list;
  }

  /**
   * In which order to try them: each once, beginning with the one whose turn it is. `last` goes to the end of the
   * line, so that a second copy of a request reaches another instance wherever there is one.
   */
  order(last?: URL): readonly URL[] {
    const from = this.#list.length === 0 ? 0 : this.#turn++ % this.#list.length;
    const line = [...this.#list.slice(from), ...this.#list.slice(0, from)];
    return [
      ...line.filter(({ origin }) => origin !== last?.origin),
      ...line.filter(({ origin }) => origin === last?.origin),
    ];
  }
}
