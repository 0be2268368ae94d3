import type { IncomingMessage } from 'node:http';

/** What the shop knows of a request. */
export interface ShopContext {
  /** Whose account; `null` when nobody is signed in. */
  readonly accountId: string | null;
  /** Whether the visitor wants to see the shop break in the middle of an order of theirs. */
  readonly breaks: boolean;
}

/**
 * Stands for real authentication: whoever says `Authorization: Bearer ada` is ada. A real one verifies a session or a
 * signed token here, and gives the principal it stands for.
 */
export function signIn({ req }: { readonly req: IncomingMessage }): ShopContext {
  const account = /^Bearer ([\w-]{1,64})$/.exec(req.headers.authorization ?? '')?.[1];
  return { accountId: account ?? null, breaks: req.headers['x-shop-breaks'] === 'yes' };
}
