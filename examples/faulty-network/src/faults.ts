interface FaultRow {
  /** How many copies of the request reach an upstream. */
  readonly reaches: 0 | 1 | 2;
  /**
   * What the client gets: the upstream's answer, the same but late, nothing at all, a part of it, or an answer that
   * no upstream gave.
   */
  readonly client: 'answer' | 'late' | 'nothing' | 'part' | 'foreign';
  readonly means: string;
}

/** Everything that can befall a request. The only table of them; all else derives from it. */
export const faults = {
  pass: { reaches: 1, client: 'answer', means: 'no fault: streamed through' },
  'reset-at-once': {
    reaches: 0,
    client: 'nothing',
    means: 'connection reset while the request is being sent',
  },
  'lose-request': {
    reaches: 0,
    client: 'nothing',
    means: 'read to the end, never forwarded, connection closed without a byte',
  },
  'lose-request-hang': {
    reaches: 0,
    client: 'nothing',
    means: 'read to the end, never forwarded, connection kept open until the client gives up',
  },
  'lose-answer-reset': {
    reaches: 1,
    client: 'nothing',
    means: 'upstream answers in full, then the connection is reset',
  },
  'lose-answer-close': {
    reaches: 1,
    client: 'nothing',
    means: 'upstream answers in full, then the connection is closed without a byte',
  },
  'lose-answer-cut': {
    reaches: 1,
    client: 'part',
    means: 'upstream answers in full, then the connection is closed in the middle of the body',
  },
  'lose-answer-hang': {
    reaches: 1,
    client: 'nothing',
    means: 'upstream answers in full, then the connection is kept open until the client gives up',
  },
  'delay-request': {
    reaches: 1,
    client: 'late',
    means: 'forwarded only after a delay, also when the client has given up by then',
  },
  'delay-answer': { reaches: 1, client: 'late', means: 'forwarded at once, answered only after a delay' },
  'duplicate-together': { reaches: 2, client: 'answer', means: 'two copies at the same time' },
  'duplicate-in-turn': {
    reaches: 2,
    client: 'answer',
    means: 'a second copy when the first has been answered, before the client hears of either',
  },
  'duplicate-late': {
    reaches: 2,
    client: 'answer',
    means: 'a second copy after a delay, when the client already has its answer',
  },
  'gateway-error': {
    reaches: 0,
    client: 'foreign',
    means: 'an HTML 502, 503 or 504 without forwarding',
  },
  'gateway-error-after': {
    reaches: 1,
    client: 'foreign',
    means: 'upstream answers in full, the client gets an HTML 502, 503 or 504',
  },
  'too-many-requests': {
    reaches: 0,
    client: 'foreign',
    means: 'a plain-JSON 429 with Retry-After: 1, without forwarding',
  },
  'captive-portal': {
    reaches: 0,
    client: 'foreign',
    means: 'an HTML 200 that asks to sign in to the network, without forwarding',
  },
} as const satisfies Record<string, FaultRow>;

/** The name of one fault; `pass` is one of them. */
export type Fault = keyof typeof faults;

/** Every fault, in the order of the table. */
export const faultNames = Object.keys(faults) as readonly Fault[];

export function isFault(name: string): name is Fault {
  return Object.hasOwn(faults, name);
}
