import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends these lines as a request head, or these bytes, and reads until the server ends the connection. Returns
 * everything, with one character per byte.
 */
export async function callRaw(url: string, request: string[] | Buffer): Promise<{ text: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  socket.write(Array.isArray(request) ? [...request, '', ''].join('\r\n') : request);
  await new Promise((resolve) => socket.once('close', resolve));
  return { text: Buffer.concat(parts).toString('latin1') };
}
