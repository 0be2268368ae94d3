import { type NetworkMode, networkHeader } from '../../src/web/network-modes.js';
import { StoredValue } from './stored-value.js';

/** What this tab's network does; a reload does not mend it. */
export const network = new StoredValue<NetworkMode>('shop.network', 'works', 'sessionStorage');

/** What is said of each. */
export const networkWords: Readonly<Record<NetworkMode, { readonly name: string; readonly what: string }>> = {
  works: { name: 'Works', what: 'Nothing gets lost.' },
  'loses-answers': {
    name: 'Loses answers',
    what: 'The shop gets every order, and all its answers get lost.',
  },
  slow: { name: 'Slow', what: 'Answers take four seconds. Close the tab meanwhile, if you like.' },
  offline: { name: 'Offline', what: 'Nothing gets through, in either direction.' },
  breaks: { name: 'Shop breaks', what: 'The shop fails in the middle of the order: error 500.' },
  gateway: { name: 'Gateway 504', what: 'The order goes through; a gateway answers with a page of its own.' },
  'session-ends': {
    name: 'Session ends',
    what: 'The shop no longer knows who orders: 401. The order waits for a sign-in.',
  },
};

/** `fetch`, through the network as it is now: the proxy in front of the shop does what the header says. */
export function fetchThroughNetwork(url: string, init: RequestInit): Promise<Response> {
  const mode = network.get();
  const headers = new Headers(init.headers);
  const key = headers.get('idempotency-key');
  // What is only read goes through, except when nothing does.
  if (key !== null || mode === 'offline') headers.set(networkHeader, `${mode} ${key ?? 'read'}`);
  if (mode === 'breaks') headers.set('x-shop-breaks', 'yes');
  if (mode === 'session-ends' && key !== null) headers.delete('authorization');
  return fetch(url, { ...init, headers });
}

/** Stands for a real sign-in after a session has ended. */
export function signInAgain(): void {
  if (network.get() === 'session-ends') network.set('works');
}
