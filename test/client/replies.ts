import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type IdempotencyFacts, type Refusal, refusals } from '@trpc-once/contract';
import type { Reply } from './exchange.js';

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const json =
  (status: number, body: unknown, headers?: OutgoingHttpHeaders): Reply =>
  ({ response }) =>
    send(response, status, body, headers);

export const html =
  (status: number, headers: OutgoingHttpHeaders = {}): Reply =>
  ({ response }) =>
    response
      .writeHead(status, { 'content-type': 'text/html', ...headers })
      .end(`<html><body><h1>${status} ERROR</h1>nginx</body></html>`);

/** Says nothing but the status. */
export const empty =
  (status: number): Reply =>
  ({ response }) =>
    response.writeHead(status).end();

/** Commits and answers, as the real server would: the order's id is the key, so that replays can be told to be true. */
export const result =
  (data?: unknown): Reply =>
  ({ commit, key, path, search, response }) => {
    if (new URLSearchParams(search).has('batch')) {
      const answers = path.split(',').map((one) => ({ result: { data: { orderId: one } } }));
      return send(response, 200, answers);
    }
    const first = commit();
    send(
      response,
      200,
      { result: { data: data ?? { orderId: key ?? path } } },
      first
        ? { 'idempotency-status': 'settled' }
        : { 'idempotency-status': 'replayed', 'idempotency-replayed': 'true' },
    );
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
): Reply => {
  const extra = { ...(facts && { idempotency: facts }), ...(declared && { declared }) };
  const data = { code, httpStatus: status, ...extra };
  return json(status, { error: { code: -32000, message: `${code} from the server`, data } }, headers);
};

/** One of the table of refusals, as the real server writes it. */
export const refusal = (name: Refusal, retryAfterMs?: number): Reply => {
  const { code, httpStatus } = refusals[name];
  if (retryAfterMs === undefined) return trpcError(httpStatus, { code, facts: { refusal: name } });
  const headers = { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return trpcError(httpStatus, { code, facts: { refusal: name, retryAfterMs }, headers });
};

/** Takes effect; then something else answers in the server's place. */
export const afterCommit =
  (reply: Reply): Reply =>
  (exchange) => {
    exchange.commit();
    return reply(exchange);
  };

/** The connection is reset; nothing ran. */
export const reset: Reply = ({ response }) => {
  response.socket?.resetAndDestroy();
};

/** Takes effect; then the connection is gone before a byte of the answer. */
export const loseAnswer: Reply = afterCommit(({ response }) => response.destroy());

/** Takes effect; then nothing is ever said. */
export const hang: Reply = afterCommit(() => {});

/** Takes effect; then only the headers and half of the body come, and the connection stays open. */
export const hangInBody: Reply = afterCommit(({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"result":{"da');
});

/** Takes effect; the body is shorter than its headers say. */
export const cutBody: Reply = afterCommit(({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '400' });
  response.write('{"result":{"da', () => response.destroy());
});

/** Takes effect; the body ends early, and nothing in the transport shows it. */
export const cutJson: Reply = afterCommit(({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":{"da');
});
