import './dom.js';
import { until } from '@trpc-once/local-services';
import { type ReactNode, StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot } from 'react-dom/client';

export interface Mounted extends Disposable {
  /** What it shows now. */
  text(): string;
  /** Waits until it shows `text`. */
  shows(text: string | RegExp): Promise<void>;
  /** Clicks the button of that name, as often as said, all in one tick. */
  tap(name: string, times?: number): void;
  render(element: ReactNode): void;
  unmount(): void;
}

/** Mounts into a document as an app does in development: under StrictMode, which mounts everything twice. */
export function mount(element: ReactNode, { html }: { readonly html?: string } = {}): Mounted {
  const container = document.createElement('div');
  document.body.append(container);
  if (html !== undefined) container.innerHTML = html;
  const strict = (inner: ReactNode) => <StrictMode>{inner}</StrictMode>;
  const root = html === undefined ? createRoot(container) : hydrateRoot(container, strict(element));
  const render = (inner: ReactNode) => flushSync(() => root.render(strict(inner)));
  if (html === undefined) render(element);
  const text = () => container.textContent ?? '';
  const unmount = () => {
    root.unmount();
    container.remove();
  };
  return {
    text,
    shows: async (wanted) => {
      const fits = () => (typeof wanted === 'string' ? text() === wanted : wanted.test(text()));
      await until(fits, { withinMs: 20_000, what: `it shows ${wanted}, not ${text()}` });
    },
    tap(name, times = 1) {
      const button = [...container.querySelectorAll('button')].find((one) => one.textContent === name);
      if (!button) throw new Error(`there is no button ${name} in ${container.innerHTML}`);
      for (let count = 0; count < times; count += 1) button.click();
    },
    render,
    unmount,
    [Symbol.dispose]: unmount,
  };
}
