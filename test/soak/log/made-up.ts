import type { RawAnswer } from './entry.js';

/** Whether an answer is one that the network made up: a gateway's page, a rate limit, a hotel's sign-in page. */
export function isMadeUp({ status, text }: RawAnswer): boolean {
  return (
    (status >= 502 && status <= 504 && text.includes('<p>faulty-network</p>')) ||
    (status === 429 && text === '{"message":"Too many requests"}\n') ||
    (status === 200 && text.startsWith('<!doctype html><title>Welcome</title>'))
  );
}
