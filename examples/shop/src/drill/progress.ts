import type { WriteStream } from 'node:tty';
import type { Plan } from './plan.js';
import type { Standing } from './run-drill.js';

/** A terminal shows one line that changes; a file or a pipe gets a line now and then. */
const EVERY_MS = { terminal: 100, file: 2_000 };

/** Shows how the drill stands until it is stopped; `stop` leaves a terminal's line empty. */
export function showProgress(
  out: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>,
  plan: Plan,
  standing: () => Standing,
): { stop(): void } {
  const beganAt = performance.now();
  const show = (): void => {
    const text = `  ${progressLine(plan, standing(), performance.now() - beganAt)}`;
    out.write(out.isTTY ? `\r\u001b[K${text.slice(0, (out.columns || 80) - 1)}` : `${text}\n`);
  };
  const timer = setInterval(show, out.isTTY ? EVERY_MS.terminal : EVERY_MS.file);
  return {
    stop() {
      clearInterval(timer);
      if (out.isTTY) out.write('\r\u001b[K');
    },
  };
}

export function progressLine(
  plan: Plan,
  { known, network, tally, damage }: Standing,
  elapsedMs: number,
): string {
  const { serversKilled, clientsKilled, connectionsCut } = damage;
  const killed = [
    ...(serversKilled > 0 ? [`servers ${serversKilled}`] : []),
    ...(clientsKilled > 0 ? [`clients ${clientsKilled}`] : []),
  ];
  return [
    `${Math.round(elapsedMs / 1_000)} s`,
    `${known} of ${plan.operations.length} operations`,
    `${network.requests} attempts`,
    `${network.requests - network.faults.pass} faults`,
    `${tally.of('replayed')} replays`,
    ...(killed.length > 0 ? [`killed: ${killed.join(', ')}`] : []),
    ...(connectionsCut > 0 ? [`cut: ${connectionsCut}`] : []),
  ].join(' · ');
}
