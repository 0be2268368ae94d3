import type { OutboxEvent } from '../operation/events.js';
import type { Operation } from '../operation/operation.js';

/** What a tab tells the others: first when it happens, and again when storage has it. They travel as JSON. */
export type News = readonly [type: OutboxEvent['type'], operation: Operation, again?: true | undefined];

/** What another tab says it did. `undefined` for what this version cannot read: another one may be open beside it. */
export function decodeNews(news: string): News | undefined {
  try {
    const [type, operation, again] = JSON.parse(news);
    if (operation.version !== 1 || typeof operation.key !== 'string') return undefined;
    return [type, Object.freeze({ ...operation, mayHaveRun: true }), again];
  } catch {
    return undefined;
  }
}
