import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';

export interface RunningService<Kind> {
  readonly origin: string;
  readonly server: Kind;
}

/** A hosted service on a free port of the loopback until the test is over. */
export async function startService(listener: RequestListener): Promise<RunningService<Server>> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: originOf(server), server };
}

/** A service that speaks in raw bytes. */
export async function startRawService(
  onConnection: (socket: Socket) => void,
): Promise<RunningService<NetServer>> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: originOf(server), server };
}

/** A service that answers each request with these bytes once its headers have come. */
export function startRawAnswer(...pieces: readonly string[]) {
  return startRawService((socket) => {
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (!seen.includes('\r\n\r\n')) return;
      seen = '';
      for (const piece of pieces) socket.write(piece, 'latin1');
    });
  });
}

/** An address where nothing listens. */
export async function deadOrigin(): Promise<string> {
  const server = createNetServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = originOf(server);
  await new Promise((resolve) => server.close(resolve));
  return origin;
}

function originOf(server: NetServer): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
