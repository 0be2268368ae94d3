import type { Foundation } from './foundation.js';

/** Whose operations may be sent by themselves: nobody's while the app cannot say who is signed in. */
export function knownSender({ sender }: Pick<Foundation, 'sender'>): string | null | undefined {
  try {
    return sender();
  } catch {
    return undefined;
  }
}
