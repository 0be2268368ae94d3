/** The header names of the wire, as they are written; header names compare without case. */
export const wireHeaders = {
  /** The key of the operation. IETF draft-ietf-httpapi-idempotency-key-header-07. */
  key: 'Idempotency-Key',
  /** Whole seconds since the key was first sent, on the sender's own clock, so that clock skew does not matter. */
  keyAge: 'Idempotency-Key-Age',
  /** On answers: `settled` or `replayed`. */
  status: 'Idempotency-Status',
  /** On answers: `true` when the outcome is a replay. */
  replayed: 'Idempotency-Replayed',
  /** On 409 and 503: whole seconds. RFC 9110, section 10.2.3. */
  retryAfter: 'Retry-After',
} as const;
