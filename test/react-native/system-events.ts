/** As React Native's `AppState` and the community's `NetInfo` have it, as far as an outbox listens to them. */
export interface SystemEvents {
  readonly AppState: {
    addEventListener(type: 'change', listener: (now: string) => void): { remove(): void };
  };
  readonly NetInfo: {
    addEventListener(listener: (state: { readonly isConnected: boolean | null }) => void): () => void;
  };
}

/** A phone's events, fired by a test. */
export interface FiredEvents extends SystemEvents {
  app(now: 'active' | 'background' | 'inactive'): void;
  net(isConnected: boolean | null): void;
  /** How many listen to either. */
  readonly listeners: number;
}

export function systemEvents(): FiredEvents {
  const apps = new Set<(now: string) => void>();
  const nets = new Set<(state: { isConnected: boolean | null }) => void>();
  return {
    AppState: {
      addEventListener(_, listener) {
        apps.add(listener);
        return { remove: () => void apps.delete(listener) };
      },
    },
    NetInfo: {
      addEventListener(listener) {
        nets.add(listener);
        return () => void nets.delete(listener);
      },
    },
    app: (now) => {
      for (const listener of apps) listener(now);
    },
    net: (isConnected) => {
      for (const listener of nets) listener({ isConnected });
    },
    get listeners() {
      return apps.size + nets.size;
    },
  };
}
