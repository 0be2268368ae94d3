/** How long one thing is not said again, in milliseconds. */
const QUIET_MS = 60_000;

/** Kinds that are remembered at most; the oldest is forgotten, and said anew. */
const MOST = 100;

/**
 * Tells what was said a moment ago.
 * @returns a function that gives how often the same was left unsaid since it was last said, or `undefined` where it is too
 * soon to say it again.
 */
export function repeats(now: () => number): (what: string) => number | undefined {
  const said = new Map<string, { at: number; unsaid: number }>();
  return (what) => {
    const last = said.get(what);
    if (last && now() - last.at < QUIET_MS) {
      last.unsaid++;
      return undefined;
    }
    said.delete(what);
    if (said.size >= MOST) said.delete(said.keys().next().value as string);
    said.set(what, { at: now(), unsaid: 0 });
    return last?.unsaid ?? 0;
  };
}
