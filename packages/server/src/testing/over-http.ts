import type { AnyTRPCRouter, TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { Once } from '../procedure/create-once.js';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** To the byte. */
  readonly text: string;
  readonly body: any;
}

export interface Asked {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** Calls mutations of a router as HTTP would, without a socket. */
export function overHttp(
  router: AnyTRPCRouter,
  once: Pick<Once<any, any>, 'context' | 'responseMeta'>,
  createContext: () => object = () => ({ user: 'ann' }),
  onError: (told: { readonly error: TRPCError }) => void = () => {},
) {
  return async (path: string, input?: unknown, { key, headers = {} }: Asked = {}): Promise<Answered> => {
    const response = await fetchRequestHandler({
      endpoint: '/trpc',
      router,
      req: new Request(`http://shop.example/trpc/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== undefined && { 'idempotency-key': key }),
          ...headers,
        },
        ...(input !== undefined && { body: JSON.stringify(input) }),
      }),
      createContext: once.context(createContext),
      responseMeta: once.responseMeta,
      onError,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}
