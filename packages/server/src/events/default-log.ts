import { inBrief, withFrames } from './in-brief.js';
import type { EventCall, OnceEvent, OnEvent } from './once-event.js';
import { outage } from './outage.js';
import { repeats } from './repeats.js';

export interface DefaultLogOptions {
  /** @default console.error */
  readonly print?: (text: string) => void;
  /** A clock that only runs forward, in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/**
 * The `onEvent` of those who give none: what an operator has to know, said once. An outage is its first error and, at its
 * end, a count; a bug is its first error, and a count a minute while it goes on. Names procedures and keys, and no inputs.
 */
export function defaultLog({
  print = (text) => console.error(text),
  now = () => performance.now(),
}: DefaultLogOptions = {}): OnEvent {
  const say = (text: string): void => print(`trpc-once: ${text}`);
  const records = outage(now);
  const bugs = repeats(now);
  const claims = repeats(now);
  let claimsError: unknown;
  let claimsMissed = false;

  const sayOnce = (call: EventCall, error: unknown, text: string): void => {
    const since = bugs(`${call.procedure} ${text} ${inBrief(error)}`);
    if (since === undefined) return;
    say(`${named(call)} ${text}${more(since)}: ${withFrames(error)}`);
  };

  return (event: OnceEvent) => {
    switch (event.type) {
      case 'records-failed': {
        const reason = inBrief(event.error);
        if (records.failed(reason))
          say(`the records fail, and calls are answered 503 (said once; its end will be told): ${reason}`);
        break;
      }
      case 'answered':
      case 'swept': {
        const ended = event.type === 'swept' || event.settlement === 'settled' ? records.works() : undefined;
        if (ended)
          say(
            `the records work again, after ${ended.failures === 1 ? 'one failure' : `${ended.failures} failures`} in ${seconds(ended.ms)}`,
          );
        break;
      }
      case 'claims-failed':
        claimsError = event.error;
        break;
      case 'claims-available':
        if (!event.available) {
          const since = claims('claims');
          if (since === undefined) break;
          claimsMissed = true;
          say(
            `the claim store is left alone for a while, and calls go on with Postgres alone${more(since)}: ${inBrief(claimsError)}`,
          );
        } else if (claimsMissed) {
          claimsMissed = false;
          say('the claim store answers again');
        }
        break;
      case 'handler-failed':
        if (isBug(event.error))
          sayOnce(event.call, event.error, 'failed in its handler, and its caller was told released');
        break;
      case 'run-timed-out':
        sayOnce(event.call, event.error, 'ran for too long, and was rolled back');
        break;
      case 'unreadable':
        sayOnce(event.call, event.error, 'has an outcome that cannot be read here, and was answered 503');
        break;
      case 'misused':
        // Each of them: its writes may be there without an outcome, and somebody has to look.
        say(`${named(event.call)} ended its transaction by itself: ${withFrames(event.error)}`);
        break;
      case 'fault':
        say(`${named(event.call)} met a fault of trpc-once, please report it: ${withFrames(event.error)}`);
        break;
      case 'miswired':
        say(event.message);
        break;
      case 'left-behind':
        say(`close() waited no longer for ${event.calls.map(named).join(', ')}`);
        break;
      case 'abandoned':
        if (event.status === 'INDETERMINATE')
          say(`nobody knows whether ${named(event.call)} took effect: reconcile it`);
    }
  };
}

function named({ procedure, key }: EventCall): string {
  return `${procedure} with key ${key}`;
}

/** A TRPCError other than that of a bug was thrown on purpose, and its caller was told it. */
function isBug(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name !== 'TRPCError' || code === 'INTERNAL_SERVER_ERROR';
}

function more(unsaid: number): string {
  return unsaid === 0 ? '' : ` (and ${unsaid} times more since it was last said)`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
