import { alone } from '../others/alone.js';
import type { OutboxStorage } from '../store/storage.js';

/**
 * Keeps operations for as long as the process lives: for tests, and for where losing them with the process is right. A
 * client over it does not resume by itself.
 */
export function memoryStorage(): OutboxStorage {
  const texts = new Map<string, string>();
  return {
    name: 'memory',
    durable: false,
    coordination: alone,
    entries: async () => [...texts].map(([id, text]) => ({ id, text })),
    get: async (id) => (texts.has(id) ? { id, text: texts.get(id) } : undefined),
    async set(id, text) {
      texts.set(id, text);
    },
    async swap(id, former, next) {
      if (texts.get(id) !== former) return false;
      if (next === undefined) texts.delete(id);
      else texts.set(id, next);
      return true;
    },
    async delete(id) {
      texts.delete(id);
    },
  };
}
