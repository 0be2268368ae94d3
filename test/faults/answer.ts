import type { Sent } from '../bank/send.js';

/** What an answer said of the operation, in one word: its settlement, or the refusal. */
export function said({ status, headers, body, text }: Sent): string {
  if (status === 200) return String(headers.get('idempotency-status'));
  const { settlement, refusal } = body?.error?.data?.idempotency ?? {};
  return settlement ?? refusal ?? `${status} ${text}`;
}
