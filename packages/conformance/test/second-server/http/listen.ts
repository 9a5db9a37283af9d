import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Lets a server listen on a free loopback port. `close` also ends what was upgraded. */
export async function listen(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
