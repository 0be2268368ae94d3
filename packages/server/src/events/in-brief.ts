import { issuesOf } from './issues.js';

/** Enough to recognise an error by. */
const LONGEST = 300;

/** Its own code's frames come first; those of the runtime say nothing more. */
const FRAMES = 8;

/**
 * An error in one line: its name, its code and the first line of its message. Its other lines and its properties stay out,
 * because that is where libraries put what somebody sent: pg's `detail`, the `params` of an ORM. A validator's whole message
 * does, so that its places are told instead.
 */
export function inBrief(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${error === null ? 'null' : typeof error}`;
  const { name, code } = error as Error & { code?: unknown };
  const said = error instanceof AggregateError && error.message === '' ? error.errors[0] : error;
  const line =
    issuesOf(error) ?? (String((said as Error | undefined)?.message ?? '').split(/\r?\n/, 1)[0] as string);
  const label = [name === 'Error' ? '' : name, typeof code === 'string' ? `[${code}]` : '']
    .filter(Boolean)
    .join(' ');
  const short = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return [label, short].filter(Boolean).join(': ') || 'an error without a message';
}

/** The same with where it was thrown, and its causes. */
export function withFrames(error: unknown): string {
  const lines: string[] = [];
  for (let depth = 0, at: unknown = unwrapped(error); depth < 4 && at !== undefined; depth++) {
    lines.push(depth === 0 ? inBrief(at) : `  caused by ${inBrief(at)}`);
    if (!(at instanceof Error)) break;
    // A stack begins with the whole message, of which one line is enough.
    const frames = (at.stack ?? '').split('\n').filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
    lines.push(...frames.slice(0, FRAMES).map((frame) => `  ${frame.trim()}`));
    at = at.cause;
  }
  return lines.join('\n');
}

/** tRPC wraps what is no error of its own, with the same words. */
function unwrapped(error: unknown): unknown {
  const { name, message, cause } = (error ?? {}) as Partial<Error>;
  return name === 'TRPCError' && cause instanceof Error && cause.message === message ? cause : error;
}
