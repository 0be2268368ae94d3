import { createContext, runInContext } from 'node:vm';
import type { App } from './app.js';
import { xmlHttpRequest } from './xml-http-request.js';

/** What the language has by now and the Hermes of a phone in use may not. */
const notInHermes = `
  for (const name of ['FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'Iterator'])
    delete globalThis[name];
  for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with', 'findLast', 'findLastIndex', 'group'])
    delete Array.prototype[name];
  for (const name of ['isWellFormed', 'toWellFormed']) delete String.prototype[name];
  for (const name of ['fromAsync']) delete Array[name];
  for (const name of ['groupBy']) { delete Object[name]; delete Map[name]; }
  delete Promise.withResolvers;
`;

export interface PhoneOptions {
  /** Whether the app has installed react-native-get-random-values. @default true */
  readonly random?: boolean;
}

/** An app that runs, alone in a JavaScript of its own. */
export interface Phone extends Disposable {
  readonly app: App;
  /** As the system does it: without a word to the app, and whatever it has under way is gone. */
  kill(): void;
}

/**
 * Starts a bundle with the globals that React Native gives an app, and none that browsers and Node have beside them: no
 * DOMException, AbortSignal.any, structuredClone, TextEncoder, TextDecoder, streams, Web Locks, BroadcastChannel or crypto.subtle.
 */
export function startPhone(bundle: string, { random = true }: PhoneOptions = {}): Phone {
  const timers = new Set<NodeJS.Timeout>();
  const XMLHttpRequest = xmlHttpRequest();
  const later = (how: typeof setTimeout) => (act: () => void, ms?: number) => {
    const timer = how(act, ms);
    timers.add(timer);
    // A phone's timers are numbers.
    return timer[Symbol.toPrimitive]();
  };
  const globals: Record<string, unknown> = {
    console,
    XMLHttpRequest,
    setTimeout: later(setTimeout),
    setInterval: later(setInterval as never),
    clearTimeout: (timer: number) => clearTimeout(timer),
    clearInterval: (timer: number) => clearInterval(timer),
    queueMicrotask,
    Blob: class {},
    File: class {},
    FormData: class {},
    performance: { now: () => performance.now() },
    navigator: { product: 'ReactNative' },
    ...(random && {
      crypto: { getRandomValues: (into: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(into) },
    }),
  };
  Object.assign(globals, { window: globals, self: globals, global: globals });
  const context = createContext(globals);
  runInContext(notInHermes, context);
  runInContext(bundle, context, { filename: 'index.ios.bundle' });
  const kill = () => {
    XMLHttpRequest.disconnect();
    for (const timer of timers) clearTimeout(timer);
  };
  return { app: globals['app'] as App, kill, [Symbol.dispose]: kill };
}
