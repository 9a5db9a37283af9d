import { createServer, type RequestListener } from 'node:http';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../../../../scripts/testing/listen.ts';

/** Starts a hosted service; it ends with the test. */
export async function startService(listener: RequestListener): Promise<string> {
  return startListening(createServer(listener));
}

/** Starts a hosted service that reads and writes bytes. */
export async function startRawService(onConnection: (socket: Socket) => void): Promise<string> {
  return startListening(createNetServer((socket) => onConnection(socket.on('error', () => {}))));
}

/** Lets a server listen until the end of the test. */
export async function startListening(server: Server): Promise<string> {
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}
