import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.js';

interface Sighting {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface RecordingUpstream extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every request that arrived whole, in order. */
  readonly seen: readonly Sighting[];
  /** Requests whose answer went out to the last byte. */
  readonly answered: () => number;
  /** Requests whose sender left before the answer was out. */
  readonly abandoned: () => number;
  /** Connections taken since it began. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A real HTTP server that remembers what reached it. By default it answers `{"copy":n}`, n counted from 1. */
export async function recordingUpstream(
  answer: (response: ServerResponse, copy: number) => void | Promise<void> = (response, copy) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ copy }));
  },
): Promise<RecordingUpstream> {
  const seen: Sighting[] = [];
  let answered = 0;
  let abandoned = 0;
  const server = createServer(async (request, response) => {
    response.once('close', () => {
      if (response.writableFinished) answered++;
      else abandoned++;
    });
    const body = await text(request);
    const { method = '', url: path = '', rawHeaders } = request;
    const copy = seen.push({ method, path, rawHeaders, body });
    await answer(response, copy);
  });
  let connections = 0;
  server.on('connection', () => connections++);
  const { port, close } = await listenOnLoopback(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    answered: () => answered,
    abandoned: () => abandoned,
    connections: () => connections,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
