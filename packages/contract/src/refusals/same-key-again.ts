/**
 * Every way the server declines to run an operation, and when the same key may be sent again. Apart from the rest of the
 * table because it is all that a client needs of it: the texts, most of a kilobyte, are the server's to send.
 */
export const sameKeyAgain = {
  KEY_MISSING: 'never',
  KEY_MALFORMED: 'never',
  KEY_SHARED: 'never',
  SCOPE_MISSING: 'after-sign-in',
  IN_PROGRESS: 'wait',
  FINGERPRINT_MISMATCH: 'never',
  KEY_EXPIRED: 'never',
  INDETERMINATE: 'after-reconcile',
  STORE_UNAVAILABLE: 'wait',
} as const satisfies Record<string, 'never' | 'wait' | 'after-sign-in' | 'after-reconcile'>;

/** The server declined to run the operation, and this is why. */
export type Refusal = keyof typeof sameKeyAgain;

export function isRefusal(name: unknown): name is Refusal {
  return typeof name === 'string' && Object.hasOwn(sameKeyAgain, name);
}
