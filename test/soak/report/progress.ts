import type { Progress } from '../run-soak.js';

/** One line on how things stand. `before` is the progress of the line before, for the rate. */
export function progressLine(now: Progress, before: Progress | undefined): string {
  const { phase, elapsedMs, began, ended, injected } = now;
  const seconds = (elapsedMs - (before?.elapsedMs ?? 0)) / 1_000;
  const rate = (ended - (before?.ended ?? 0)) / seconds;
  const open = injected.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ kind }) => kind);
  return [
    `${Math.round(elapsedMs / 1_000)} s`.padStart(6),
    phase,
    `${began - ended} under way`,
    `${Math.max(0, rate).toFixed(0)} operations/s`,
    `${injected.length} faults`,
    ...(open.length > 0 ? [`now: ${open.join(', ')}`] : []),
  ].join(' · ');
}
