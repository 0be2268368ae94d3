import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends commands to a Redis of this machine over a connection of their own, and gives what it answered, as it came. It
 * needs no client: this is for starting servers, where words without spaces are all there is to say.
 *
 * @throws Error when it refuses one of them, or does not let us in.
 */
export async function askRedis(port: number, password: string, ...commands: string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    // The end of what we send ends the conversation, once all is answered: a sentinel knows no QUIT.
    socket.end([`AUTH ${password}`, ...commands, ''].join('\r\n'));
    let reply = '';
    for await (const chunk of socket) reply += String(chunk);
    const refused = /^-(.*)/m.exec(reply);
    if (refused) throw new Error(`Redis answered ${JSON.stringify(refused[1])} to ${commands.join(', ')}`);
    return reply;
  } finally {
    socket.destroy();
  }
}
