import type { Decision, Schedule } from '@trpc-once/faulty-network';
import type { NetworkMode } from './network-modes.js';

/** Long enough to be seen, and to close the tab in. */
const SLOW_MS = 4_000;

/** `breaks` and `session-ends` are not here: the shop itself does those. */
const faults: { readonly [M in NetworkMode]?: Partial<Decision> & Pick<Decision, 'fault'> } = {
  'loses-answers': { fault: 'lose-answer-close' },
  slow: { fault: 'delay-answer', delayMs: SLOW_MS },
  offline: { fault: 'reset-at-once' },
  gateway: { fault: 'gateway-error-after', gatewayStatus: 504 },
};

const pass: Decision = { fault: 'pass', delayMs: 0, cutAt: 0.5, gatewayStatus: 504, answerOf: 1 };

/** Does to every request what the page that sent it asks for. */
export const badNetwork: Schedule = {
  decide: (identity) => ({ ...pass, ...faults[identity.split(' ')[0] as NetworkMode] }),
};
