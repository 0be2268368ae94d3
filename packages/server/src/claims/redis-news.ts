/** The part of ioredis' `Redis` and `Cluster` that hears published news. */
export interface Subscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  disconnect(): void;
}

/** A client that can be had a second time; without that there is no news, and whoever waits only looks. */
export interface NewsClient {
  duplicate?(): Subscriber;
}

export interface RedisNews {
  /** @returns what ends it */
  listen(channel: string, onNews: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** News from Redis over one connection, opened when somebody first listens, for however many listeners. */
export function redisNews(client: NewsClient): RedisNews {
  let subscriber: Subscriber | undefined;
  const listeners = new Map<string, Set<() => void>>();

  const open = (): Subscriber | undefined => {
    if (subscriber || !client.duplicate) return subscriber;
    subscriber = client.duplicate();
    // Reconnecting, and subscribing anew, is the client's business.
    subscriber.on('error', () => {});
    subscriber.on('message', (channel) => {
      for (const onNews of listeners.get(channel) ?? []) onNews();
    });
    return subscriber;
  };

  return {
    async listen(channel, onNews) {
      const from = open();
      if (!from) return () => {};
      const own = (): void => onNews();
      const listening = listeners.get(channel) ?? new Set();
      const first = listening.size === 0;
      listeners.set(channel, listening.add(own));
      const stop = (): void => {
        if (!listening.delete(own) || listening.size > 0) return;
        listeners.delete(channel);
        from.unsubscribe(channel).catch(() => {});
      };
      try {
        if (first) await from.subscribe(channel);
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
    async close() {
      subscriber?.disconnect();
      subscriber = undefined;
    },
  };
}
