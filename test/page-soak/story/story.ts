/** One visitor: a browser profile, named for messages. */
export type VisitorName = string;

/** Somebody's finger was on the order button. As the page saw it, in the tick of the click. */
export interface Tap {
  readonly at: number;
  readonly visitor: VisitorName;
  /** The cart that the button stood under. */
  readonly cart: string;
  /** The account that the page showed. */
  readonly account: string;
  /** The account that was signed in: another one, where the tab had not heard of it yet. */
  readonly signedIn: string | null;
}

/** A checkout that arrived in front of the shop, as it came over the wire. */
export interface Arrival {
  readonly at: number;
  readonly visitor: VisitorName;
  readonly key: string;
  readonly authorization: string;
  readonly body: string;
  /** What the page asked the network to do with it. */
  readonly network: string;
  /** What went back towards the page; nothing where the connection ended first. */
  answer?: { readonly at: number; readonly status: number; readonly settlement: string | undefined };
}

/** What a page showed, from the moment it changed to this. */
export type Sight = { readonly at: number; readonly visitor: VisitorName; readonly tab: number } & (
  | {
      readonly kind: 'operation';
      readonly key: string;
      /** As the panel marks it: the outbox's states, and `delivered`. */
      readonly state: string;
      readonly badge: string;
    }
  | {
      /** The line under the order button. */
      readonly kind: 'told';
      readonly cart: string;
      readonly state: string;
      /** The order that it is about, where it is an outcome. */
      readonly of: string | undefined;
      readonly text: string;
    }
);

/** What was done, and to whom. */
export interface Step {
  readonly at: number;
  readonly visitor: VisitorName | 'shop';
  readonly what: string;
}

/** Everything that was seen from outside the client, in the order in which it was seen. Grows as the soak runs. */
export class Story {
  readonly taps: Tap[] = [];
  readonly arrivals: Arrival[] = [];
  readonly sights: Sight[] = [];
  readonly steps: Step[] = [];
  /** Keys whose visitor asked to have them removed. */
  readonly forgotten = new Set<string>();
  /** What a page complained of: errors that nobody caught. */
  readonly complaints: { readonly visitor: VisitorName; readonly what: string }[] = [];
  /** What did not come to its end, or a page that did not let itself be mended. */
  readonly hung: { readonly visitor: VisitorName; readonly what: string }[] = [];
  /** What outboxes still hold though everything is quiet. */
  readonly left: { readonly visitor: VisitorName; readonly what: string }[] = [];
}
