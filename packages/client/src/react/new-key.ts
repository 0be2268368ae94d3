import { v7 } from 'uuid';

/** `undefined` where the runtime has no randomness: the call itself says so. */
export function newKey(): string | undefined {
  try {
    return v7();
  } catch {
    return undefined;
  }
}
