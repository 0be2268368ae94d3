import { Window } from 'happy-dom';

/**
 * A document for React, set before anything imports react-dom, which looks for one when it is loaded. Only these three:
 * with the rest of a browser's globals, `fetch` would be happy-dom's and the requests its own.
 */
const window = new Window();
for (const [name, value] of Object.entries({
  window,
  document: window.document,
  navigator: window.navigator,
}))
  Object.defineProperty(globalThis, name, { value, configurable: true });
