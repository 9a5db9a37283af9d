import { once } from 'node:events';
import { connect, type Socket, type SocketConstructorOpts } from 'node:net';
import { onTestFinished } from 'vitest';

/** Headers of a valid WebSocket handshake. */
export const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** A separate connection; it ends with the test. */
export async function open(
  port: number,
  options: SocketConstructorOpts & { readonly highWaterMark?: number } = {},
): Promise<Socket> {
  const socket = connect({ ...options, port, host: '127.0.0.1' }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes as is, and returns everything received until the server closes. */
export async function sendRaw(
  port: number,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = await open(port);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  for (const bytes of pieces) {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }
  await closed;
  return text;
}

/** The statuses of all responses in a text. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}
