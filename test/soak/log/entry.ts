import type { AppCall, AppEntry } from './app-entry.js';

/**
 * What an operation must come to:
 * - `effect`: it takes effect;
 * - `declared`: it settles with its declared error;
 * - `declined`: it settles with an error that nobody declared, of the 4xx kind;
 * - `doomed`: its handler fails whenever it runs, so that it never settles;
 * - `contested`: another operation has its key, and one of the two takes effect.
 */
export type Fate = 'effect' | 'declared' | 'declined' | 'doomed' | 'contested';

/**
 * Who sends an attempt: the operation's own client; somebody with the operation's key and another input or procedure;
 * or somebody whose key no server can take.
 */
export type Role = 'honest' | 'impostor' | 'probe';

/** Straight to a server's door, or through the network that loses, repeats and makes up answers. */
export type Via = `door ${number}` | 'network';

/** One line of a log: what a client asked and what it got, as it happened. `at` is in epoch milliseconds. */
export type Entry =
  | {
      readonly type: 'asked';
      readonly at: number;
      /** Its name, in the whole soak. */
      readonly operation: string;
      readonly principal: string;
      readonly fate: Fate;
      readonly path: string;
      readonly input: unknown;
      /** Of an app of the fleet: how it was called. */
      readonly call?: AppCall;
    }
  | {
      readonly type: 'sent';
      readonly at: number;
      /** Names the HTTP request. */
      readonly attempt: string;
      readonly operation: string;
      readonly role: Role;
      readonly principal: string;
      readonly key: string;
      readonly path: string;
      readonly via: Via;
    }
  | { readonly type: 'answer'; readonly at: number; readonly attempt: string; readonly answer: RawAnswer }
  /** The attempt ended without an answer. */
  | { readonly type: 'silence'; readonly at: number; readonly attempt: string; readonly why: string }
  /** What the client library told its caller. */
  | {
      readonly type: 'told';
      readonly at: number;
      readonly operation: string;
      readonly key: string;
      readonly outcome: ToldOutcome;
      /** Of an app of the fleet: who was told. */
      readonly to?: 'caller' | 'onSettled';
    }
  | AppEntry;

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: {
    readonly status: string | null;
    readonly replayed: string | null;
    readonly retryAfter: string | null;
  };
  /** To the byte. */
  readonly text: string;
}

export type ToldOutcome =
  | { readonly kind: 'completed'; readonly data: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly declared: unknown }
  /** No outcome, and none to come: the client gave the operation up. */
  | { readonly kind: 'ended'; readonly why: string };
