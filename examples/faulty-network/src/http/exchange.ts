import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { reset } from '../reset.js';
import { type Answer, firstPart, gatewayPage, readAnswer, readableFrom } from './answer.js';
import { askUpstream, type KeptRequest } from './ask-upstream.js';
import { endToEnd, withLength } from './headers.js';
import type { ProxyEvent } from './proxy-event.js';
import type { Upstreams } from './upstreams.js';

type EventOf<T> = T extends unknown ? Omit<T, 'identity' | 'attempt'> : never;

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstreams: Upstreams;
  readonly agent: Agent;
  readonly emit: (event: EventOf<ProxyEvent>) => void;
  /** Waits; rejects when the proxy closes. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The proxy closes: what is on its way to an upstream is broken off. */
  readonly closing: AbortSignal;
}

/** The client left before it had sent its whole request. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft';
}

/** One request and what can be done to it. A fault is a few of these calls in a row. */
export class Exchange {
  /** Resolves when the client has its answer or has left, whichever comes first. Never rejects. */
  readonly over: Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly #options: ExchangeOptions;
  #kept: Promise<KeptRequest> | undefined;
  #firstAsked: URL | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.sleep = options.sleep;
    this.over = new Promise((resolve) => {
      options.response.once('close', () => {
        this.#end(options.response.writableFinished ? 'answered' : 'gone');
        resolve();
      });
    });
  }

  /**
   * The whole request.
   * @throws ClientLeft when the client leaves before it has sent everything.
   */
  kept(): Promise<KeptRequest> {
    this.#kept ??= keep(this.#options.request);
    return this.#kept;
  }

  /**
   * Sends one copy upstream and reads its answer to the end, whether or not the client is still there. An upstream
   * that fails by itself gives the answer that a balancer would: a 502 page.
   */
  async ask(copy: 1 | 2 = 1): Promise<Answer> {
    const asked = await this.#forward(copy, this.#options.closing);
    if (asked === undefined) return this.#badGateway();
    try {
      const answer = await readAnswer(asked.message);
      this.#answered(copy, asked.upstream, answer.status);
      return answer;
    } catch (error) {
      this.#failed(copy, asked.upstream, false, error as Error);
      return this.#badGateway();
    }
  }

  /** Passes the answer on as it comes, and the client's leaving too, as if there were no proxy. */
  async stream(): Promise<void> {
    const { response } = this.#options;
    const left = new AbortController();
    void this.over.then(() => response.writableFinished || left.abort());
    const asked = await this.#forward(1, left.signal);
    if (asked === undefined) return this.deliver(this.#badGateway());
    const { message, upstream } = asked;
    this.#writeHead(message.statusCode ?? 502, message.statusMessage ?? '', endToEnd(message.rawHeaders));
    response.flushHeaders();
    message.once('error', () => this.#end('cut'));
    try {
      await pipeline(message, response);
      this.#answered(1, upstream, message.statusCode ?? 502);
    } catch (error) {
      if (!message.complete && !left.signal.aborted) this.#failed(1, upstream, false, error as Error);
    }
  }

  /** Gives the client a whole answer, if it is still there. */
  deliver(answer: Answer): void {
    if (this.#options.response.destroyed) return;
    this.#writeHead(answer.status, answer.reason, answer.headers);
    this.#options.response.end(answer.body);
  }

  /** Gives the client an answer that no upstream gave. */
  deliverMadeUp(answer: Answer): void {
    this.deliver(readableFrom(answer, this.#options.request.headers.origin));
  }

  /** Gives the client a part of an answer, then nothing more. */
  deliverPart(answer: Answer, cutAt: number): void {
    const { socket } = this.#options.request;
    if (!this.#end('cut')) return;
    // Closed, not reset: a reset may overtake the bytes before it, and the client would see no part of the answer.
    socket.write(firstPart(answer, cutAt), () => socket.destroy());
  }

  /** Resets the client's connection (RST). */
  reset(): void {
    if (this.#end('cut')) reset(this.#options.request.socket);
  }

  /** Closes the client's connection (FIN). */
  close(): void {
    if (this.#end('cut')) this.#options.request.socket.destroy();
  }

  async #forward(copy: 1 | 2, signal: AbortSignal) {
    const request = await this.kept();
    const { upstreams, agent, emit } = this.#options;
    const order = upstreams.order(this.#firstAsked);
    this.#firstAsked ??= order[0];
    for (const upstream of order) {
      const onForwarded = () => emit({ type: 'forwarded', copy, upstream: upstream.origin });
      const asked = await askUpstream(request, upstream, { agent, onForwarded, signal });
      if (asked.got === 'head') return { message: asked.message, upstream };
      if (signal.aborted) return undefined; // This side broke it, not the upstream.
      this.#failed(copy, upstream, asked.got === 'refused', asked.error);
      // Only a refusal is safe to take elsewhere: after that the copy may have been handled.
      if (asked.got === 'broken') return undefined;
    }
    return undefined;
  }

  #badGateway(): Answer {
    return readableFrom(gatewayPage(502), this.#options.request.headers.origin);
  }

  #writeHead(status: number, reason: string, headers: readonly string[]): void {
    const { response } = this.#options;
    response.sendDate = false;
    response.writeHead(status, reason, [...headers]);
  }

  #answered(copy: 1 | 2, upstream: URL, status: number): void {
    this.#options.emit({ type: 'answered', copy, upstream: upstream.origin, status });
  }

  #failed(copy: 1 | 2, upstream: URL, refused: boolean, error: Error): void {
    this.#options.emit({ type: 'upstream-failed', copy, upstream: upstream.origin, refused, error });
  }

  /** Says how it ended for the client, the first time only; whether this was it. */
  #end(client: 'answered' | 'cut' | 'gone'): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#options.emit({ type: 'ended', client });
    return true;
  }
}

async function keep(request: IncomingMessage): Promise<KeptRequest> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw new ClientLeft('the client left in the middle of its request', { cause });
  }
  const body = Buffer.concat(chunks);
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: withLength(endToEnd(request.rawHeaders), body),
    body,
  };
}
