import type { Coordination } from './coordination.js';

/** News between tabs, by BroadcastChannel; none where there is none. */
export function channelNews(outbox: string): Pick<Coordination, 'carries' | 'tell' | 'hear'> {
  const { BroadcastChannel } = globalThis;
  if (!BroadcastChannel) return { carries: false, tell() {}, hear: () => () => {} };
  let channel: BroadcastChannel | undefined;
  const listeners = new Set<(news: string) => void>();
  const open = () => {
    channel ??= new BroadcastChannel(outbox);
    return channel;
  };
  return {
    carries: true,
    // After the last one has stopped to hear there is nothing more to tell, and a new channel would keep Node alive.
    tell: (news) => channel?.postMessage(news),
    hear(listener) {
      listeners.add(listener);
      open().onmessage = ({ data }) => {
        for (const one of listeners) one(data);
      };
      // In Node an open channel would keep the process alive.
      (channel as { unref?(): void }).unref?.();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        channel?.close();
        channel = undefined;
      };
    },
  };
}
