import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends bytes over a separate socket, and returns everything that arrives until the server closes it. */
export async function sendRaw(base: string, ...pieces: readonly string[]): Promise<string> {
  const socket = await open(base);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  for (const piece of pieces) socket.write(piece, 'latin1');
  await closed;
  return received;
}

export async function open(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Waits until a text arrives on a socket, and returns everything that has arrived. */
export function receive(socket: Socket, wanted: string): Promise<string> {
  let received = '';
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!received.includes(wanted)) return;
      socket.off('data', onData);
      resolve(received);
    };
    socket.on('data', onData);
    socket.once('close', () => reject(new Error(`Closed before ${wanted}: ${received}`)));
  });
}
