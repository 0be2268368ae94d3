import type { IncomingMessage } from 'node:http';

export interface Context {
  readonly userId: string | null;
}

/** Stands for your own authentication: give the principal, or null when nobody is signed in. */
export function createContext({ req }: { req: IncomingMessage }): Context {
  return { userId: req.headers.authorization?.replace(/^Bearer /, '') ?? null };
}
