import { AttemptError } from './attempt-error.js';

/**
 * An error in a word or two, for the message of another one: a code such as `ECONNREFUSED`, a tRPC code, this package's own
 * words, else its name; of a server's answer it says that there is more to read. Never its text: platforms write addresses and header values into that.
 */
export function inBrief(error: unknown): string | undefined {
  let at = error as { code?: unknown; data?: { code?: unknown }; cause?: unknown } | null | undefined;
  // Node keeps the code two causes down at most; a cause can be its own.
  for (
    let depth = 0;
    depth < 4 && typeof at === 'object' && at !== null;
    depth += 1, at = at.cause as never
  ) {
    if (at instanceof AttemptError) return at.message;
    for (const [code, more] of [
      [at.code, ''],
      [at.data?.code, ', see cause'],
    ])
      if (typeof code === 'string' && /^[A-Z]\w+$/.test(code)) return code + more;
  }
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' && name !== 'Error' ? name : undefined;
}
