import { once } from 'node:events';
import { connect, type Socket, type SocketConstructorOpts } from 'node:net';
import { onTestFinished } from 'vitest';

/** Sends bytes as they are, and returns everything that arrives until the server closes the connection. */
export async function sendRaw(
  to: string | number,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = await open(to);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces) socket.write(Buffer.from(piece as string, 'latin1'));
  await closed;
  return received;
}

/** A separate connection to a URL or a loopback port; it ends with the test. */
export async function open(
  to: string | number,
  options: SocketConstructorOpts & { readonly highWaterMark?: number } = {},
): Promise<Socket> {
  const port = typeof to === 'number' ? to : Number(new URL(to).port);
  const socket = connect({ ...options, port, host: '127.0.0.1' }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Waits until a text arrives on a socket, and returns everything that has arrived. */
export function receive(socket: Socket, expected: string): Promise<string> {
  let received = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!received.includes(expected)) return;
      socket.off('data', onData);
      resolve(received);
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error(`Closed before ${expected}: ${received}`)));
  });
}
