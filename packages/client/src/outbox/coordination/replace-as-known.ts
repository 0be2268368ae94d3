import { isOver } from '../store/record-codec.js';
import type { OutboxStorage } from '../store/storage.js';

/**
 * Replaces a record that somebody else can change, only as it was known and in one step.
 * @returns whether the record was still there, and open; if not, it is left as it is
 */
export async function replaceAsKnown(
  storage: OutboxStorage,
  id: string,
  former: string | undefined,
  text: string,
): Promise<boolean> {
  if (former !== undefined) {
    if (isOver(former) && !isOver(text)) return false;
    if (await storage.swap(id, former, text)) return true;
    // Changed by another while this one had lost the hold. Of two that are still asking, the later word may stand; an
    // outcome, or that it was handed over, is nothing to take back.
    const there = await storage.get(id);
    if (!there || (there.text !== undefined && isOver(there.text))) return false;
  }
  await storage.set(id, text);
  return true;
}
