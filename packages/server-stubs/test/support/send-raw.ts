import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Sends bytes as they are, and returns everything that arrives until the server closes the connection. */
export async function sendRaw(base: string, ...pieces: readonly string[]): Promise<string> {
  const socket = await open(base);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces) socket.write(piece, 'latin1');
  await closed;
  return received;
}

/** A separate connection, which ends with the test. */
export async function open(base: string): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
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
