import type { OutboxStorage } from '../storage.js';

/**
 * Keeps operations for as long as the process lives: for tests, and for where losing them with the process is right. A
 * client over it does not resume by itself.
 */
export function memoryStorage(): OutboxStorage {
  const texts = new Map<string, string>();
  return {
    name: 'memory',
    durable: false,
    entries: async () => [...texts].map(([id, text]) => ({ id, text })),
    async set(id, text) {
      texts.set(id, text);
    },
    async delete(id) {
      texts.delete(id);
    },
  };
}
