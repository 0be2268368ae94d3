import type { Operation } from '../operation/operation.js';
import type { Outcome } from '../operation/outcome.js';

/**
 * Hears of outcomes. The operation is kept until this returns (or the promise it returns is fulfilled), so it may hear of
 * one twice, never not at all. One that has not returned after 30 seconds counts as not having heard.
 */
export type OnSettled = (operation: Operation, outcome: Outcome) => void | Promise<void>;
