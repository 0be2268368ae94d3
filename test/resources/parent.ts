import { converse } from './conversation.js';

/**
 * The test that started this process with `spawnProgram`.
 *
 * @example
 * ```ts
 * parent.tell('ready', { url });
 * await parent.hear('go on');
 * ```
 */
export const parent = converse({
  send: (message) => process.send?.(message),
  listen: (receive) => void process.on('message', receive),
  closed: () => (process.connected ? undefined : 'the test is gone'),
});
// Listening alone is no reason to stay: a program that has done its work ends by itself.
process.channel?.unref();
