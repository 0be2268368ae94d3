/** `localStorage` as the HTML standard has it, over a map, with a quota in UTF-16 code units. */
export class WebStorage implements Storage {
  readonly #items = new Map<string, string>();
  quota: number;
  [name: string]: unknown;

  constructor(quota = 5_000_000) {
    this.quota = quota;
  }

  get length(): number {
    return this.#items.size;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.#items.get(String(key)) ?? null;
  }

  setItem(key: string, value: string): void {
    const others = [...this.#items].filter(([other]) => other !== key);
    const used = others.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    if (used + key.length + value.length > this.quota)
      throw new DOMException(`Setting the value of '${key}' exceeded the quota.`, 'QuotaExceededError');
    this.#items.set(String(key), String(value));
  }

  removeItem(key: string): void {
    this.#items.delete(String(key));
  }

  clear(): void {
    this.#items.clear();
  }
}
