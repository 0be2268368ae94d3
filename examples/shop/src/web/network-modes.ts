/** What the page's switch can do to the network: the page sends the name with every attempt. */
export const networkModes = [
  'works',
  'loses-answers',
  'slow',
  'offline',
  'breaks',
  'gateway',
  'session-ends',
] as const;

export type NetworkMode = (typeof networkModes)[number];

/** The header that carries it: the mode, a blank, and the operation's key, so that attempts are counted by operation. */
export const networkHeader = 'x-shop-network';
