import type { AddressInfo, Server, Socket } from 'node:net';

/** A listening server. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Ends the server and its connections, including upgraded ones. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Lets a server listen on a free loopback port. */
export async function listen(server: Server): Promise<Listening> {
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
  return { url: `http://127.0.0.1:${port}`, port, close, [Symbol.asyncDispose]: close };
}
