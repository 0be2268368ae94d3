import { until } from '@trpc-once/local-services';

/** Named messages between a test and a process it started. */
export interface Conversation {
  /** Says something to the other side. */
  tell(name: string, content?: unknown): void;
  /**
   * Waits for the next message of that name, or gives the oldest one not heard yet.
   * @throws Error when none comes in time, @default 30_000 ms
   */
  hear<T = unknown>(name: string, withinMs?: number): Promise<T>;
}

interface Message {
  readonly name: string;
  readonly content: unknown;
}

export interface Channel {
  send(message: Message): void;
  listen(receive: (message: Message) => void): void;
  /** Why nothing more will be heard; `undefined` while it may. */
  closed(): string | undefined;
}

export function converse(channel: Channel): Conversation {
  const unheard: Message[] = [];
  channel.listen((message) => unheard.push(message));
  return {
    tell: (name, content) => channel.send({ name, content }),
    async hear<T>(name: string, withinMs = 30_000) {
      const take = () => {
        const at = unheard.findIndex((message) => message.name === name);
        if (at >= 0) return unheard.splice(at, 1)[0];
        const reason = channel.closed();
        if (reason !== undefined) throw new Error(`"${name}" was never said: ${reason}`);
        return undefined;
      };
      return (await until(take, { withinMs, what: `"${name}" is said` })).content as T;
    },
  };
}
