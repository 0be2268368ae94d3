import type { Socket } from 'node:net';

/**
 * Resets a connection (RST). One whose own end is just being sent is closed instead: libuv refuses to reset it (EINVAL),
 * and Node 20 then loses the handle, so that 'close' never comes, the listener never closes and the process, once done,
 * spins for ever instead of ending.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
