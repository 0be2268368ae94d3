import type { OutboxEvent } from './events.js';

export function encodeNews({ type, operation }: OutboxEvent): string {
  return JSON.stringify([type, operation]);
}

/** What another tab says it did. `undefined` for what this version cannot read: another one may be open beside it. */
export function decodeNews(news: string): OutboxEvent | undefined {
  try {
    const [type, operation] = JSON.parse(news);
    if (operation.version !== 1 || typeof operation.key !== 'string') return undefined;
    return { type, operation: Object.freeze({ ...operation, mayHaveRun: true }) };
  } catch {
    return undefined;
  }
}
