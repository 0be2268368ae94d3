import type { OutgoingHttpHeaders } from 'node:http';
import { type IdempotencyFacts, type Refusal, refusals } from '@trpc-once/contract';
import type { Reply } from './scripted-server.js';

const text =
  (status: number, type: string, body: string, headers: OutgoingHttpHeaders = {}): Reply =>
  ({ response }) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);

export const json = (status: number, body: unknown, headers?: OutgoingHttpHeaders): Reply =>
  text(status, 'application/json', JSON.stringify(body), headers);

export const html = (status: number, headers?: OutgoingHttpHeaders): Reply =>
  text(status, 'text/html', `<html><body><h1>${status} ERROR</h1>nginx</body></html>`, headers);

/** Commits and answers, as the real server would: the order's id is the key, so that replays can be told to be true. */
export const result =
  (data?: unknown): Reply =>
  ({ commit, key, path, search, response }) => {
    if (new URLSearchParams(search).has('batch')) {
      const answers = path.split(',').map((one) => ({ result: { data: { orderId: one } } }));
      return json(200, answers)({ response } as never);
    }
    const replayed = !commit();
    const headers = {
      'idempotency-status': replayed ? 'replayed' : 'settled',
      ...(replayed && { 'idempotency-replayed': 'true' }),
    };
    return json(200, { result: { data: data ?? { orderId: key ?? path } } }, headers)({ response } as never);
  };

export interface ErrorParts {
  readonly code?: string;
  readonly facts?: IdempotencyFacts;
  readonly declared?: { readonly name: string; readonly data?: unknown };
  readonly headers?: OutgoingHttpHeaders;
}

/** A tRPC error. */
export const trpcError = (
  status: number,
  { code = 'INTERNAL_SERVER_ERROR', facts, declared, headers }: ErrorParts = {},
): Reply =>
  json(
    status,
    {
      error: {
        code: -32000,
        message: `${code} from the server`,
        data: {
          code,
          httpStatus: status,
          ...(facts && { idempotency: facts }),
          ...(declared && { declared }),
        },
      },
    },
    headers,
  );

/** One of the table of refusals, as the real server writes it. */
export const refusal = (name: Refusal, retryAfterMs?: number): Reply => {
  const { code, httpStatus } = refusals[name];
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return trpcError(httpStatus, {
    code,
    facts: { refusal: name, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    headers,
  });
};

/** Takes effect; then the connection is gone before a byte of the answer. */
export const loseAnswer: Reply = ({ commit, response }) => {
  commit();
  response.destroy();
};

/** Takes effect; then a gateway answers in the server's place. */
export const gatewayAfterCommit =
  (reply: Reply): Reply =>
  (exchange) => {
    exchange.commit();
    return reply(exchange);
  };

/** The connection is reset; nothing ran. */
export const reset: Reply = ({ response }) => {
  response.socket?.resetAndDestroy();
};

/** Takes effect; then nothing is ever said. */
export const hang: Reply = ({ commit }) => {
  commit();
};

/** Takes effect; then only the headers and half of the body come, and the connection stays open. */
export const hangInBody: Reply = ({ commit, response }) => {
  commit();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"result":{"da');
};

/** Takes effect; the body is shorter than its headers say. */
export const cutBody: Reply = ({ commit, response }) => {
  commit();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' });
  response.write('{"result":{"da', () => response.destroy());
};

/** Takes effect; the body ends early, and nothing in the transport shows it. */
export const cutJson: Reply = ({ commit, response }) => {
  commit();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":{"da');
};
