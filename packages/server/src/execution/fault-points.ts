/**
 * Where a test can make an attempt die, hang or lose its connections, in the order an attempt passes them. In production
 * nobody is there to act on them and they cost nothing.
 */
export const faultPoints = [
  /** The claim was answered. */
  'claimed',
  /** The transaction is open and the operation free. */
  'begun',
  /** The handler returned; nothing is committed. */
  'ran',
  /** The outcome is committed; nobody has been told. */
  'settled',
  /** The claim store has been told. */
  'told',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/** What happens at a point: return to go on, wait to be slow, throw to fail, or end the process. */
export type Faults = (point: FaultPoint, procedure: string) => void | Promise<void>;
