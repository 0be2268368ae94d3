import { type ClientRequest, request } from 'node:http';

/** The part of XMLHttpRequest that React Native's `fetch` is made of, over this machine's network. */
export function xmlHttpRequest(): { new (): object; disconnect(): void } {
  const underWay = new Set<ClientRequest>();
  return class XMLHttpRequest {
    /** The phone is off: nobody hears of anything any more. */
    static disconnect(): void {
      for (const one of underWay)
        one
          .removeAllListeners()
          .on('error', () => {})
          .destroy();
      underWay.clear();
    }

    readyState = 0;
    status = 0;
    statusText = '';
    responseURL = '';
    response = '';
    withCredentials = false;
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;
    onreadystatechange?: () => void;
    #method = 'GET';
    #headers: Record<string, string> = {};
    #received: string[] = [];
    #request: ClientRequest | undefined;

    open(method: string, url: string): void {
      this.#method = method;
      this.responseURL = url;
      this.readyState = 1;
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers[name] = value;
    }

    getAllResponseHeaders(): string {
      return this.#received.join('\r\n');
    }

    send(body?: string | null): void {
      const sent = request(this.responseURL, { method: this.#method, headers: this.#headers });
      this.#request = sent;
      underWay.add(sent);
      const end = (how: 'onload' | 'onerror' | 'onabort') => {
        if (!underWay.delete(sent)) return;
        this.readyState = 4;
        this.onreadystatechange?.();
        this[how]?.();
      };
      sent.on('response', (answer) => {
        this.status = answer.statusCode ?? 0;
        this.statusText = answer.statusMessage ?? '';
        for (const [name, value] of Object.entries(answer.headers)) this.#received.push(`${name}: ${value}`);
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          this.response += chunk;
        });
        answer.on('end', () => end('onload')).on('error', () => end('onerror'));
      });
      sent.on('error', () => end('onerror'));
      sent.on('abort', () => end('onabort'));
      sent.end(body ?? undefined);
    }

    abort(): void {
      this.#request?.emit('abort');
      this.#request?.destroy();
    }
  };
}
