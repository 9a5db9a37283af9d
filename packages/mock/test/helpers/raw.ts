import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends raw bytes, and reads until the mock closes the connection.
 *
 * @param then sent once the mock has begun to respond; `end` stops sending immediately instead
 */
export async function sendRaw(
  { port }: { port: number },
  bytes: string,
  then?: 'end' | (string & {}),
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.setEncoding('latin1').on('data', (text) => {
    reply += text;
  });
  socket.write(bytes, 'latin1');
  if (then === 'end') socket.end();
  else if (then !== undefined) socket.once('data', () => socket.write(then, 'latin1'));
  await once(socket, 'close');
  return reply;
}
