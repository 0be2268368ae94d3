/**
 * A moment: the returned function tells how many milliseconds ago it was. By whichever clock says more: the one stands still
 * while the machine sleeps, the other can be set back.
 */
export function sinceThen(): () => number {
  const [steady, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - steady, Date.now() - wall);
}
