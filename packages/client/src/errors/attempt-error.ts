/**
 * What an attempt came to where nobody else made an error of it: a cause for those that callers get. Its message is this
 * package's own text throughout, and so safe to repeat: it holds no header, no body and no address.
 */
export class AttemptError extends Error {
  override readonly name = 'AttemptError';
}
