import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a server sent on one connection until it ended. */
interface RawResponse {
  /** Everything, with one character per byte. */
  text: string;
  /** Whether the connection ended with a reset. */
  wasReset: boolean;
}

/** Opens a TCP connection to the server of a URL. */
async function openConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends these lines as a request head, or these bytes, and reads until the server ends the connection. */
export async function callRaw(url: string, request: string[] | Buffer): Promise<RawResponse> {
  const socket = await openConnection(url);
  const parts: Buffer[] = [];
  let wasReset = false;
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {
    wasReset = true;
  });
  socket.write(Array.isArray(request) ? [...request, '', ''].join('\r\n') : request);
  await new Promise((resolve) => socket.once('close', resolve));
  return { text: Buffer.concat(parts).toString('latin1'), wasReset };
}
