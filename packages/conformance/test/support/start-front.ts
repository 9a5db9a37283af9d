import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listen } from '../../../../scripts/testing/listen.ts';

/** What a front does with a connection whose request head has arrived. */
export type Deed = 'pass' | 'drop' | 'hang' | ((socket: Socket) => void);

export interface Front {
  url: string;
  /** Number of connections so far. */
  count(): number;
  /** Closes all connections, and accepts no more. */
  close(): Promise<void>;
}

export interface FrontOptions {
  /** What to do with the connection with this number, from 1, and this request head. Default: `pass`. */
  decide?: (index: number, head: string) => Deed;
  tls?: { key: string; cert: string };
}

/** Starts something between the suite and a server that forwards connections, or does not. */
export async function startFront(
  target: string,
  { decide = () => 'pass', tls }: FrontOptions = {},
): Promise<Front> {
  let count = 0;
  const accept = (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    count += 1;
    const index = count;
    let head = '';
    socket.on('data', function read(chunk) {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read).pause();
      const deed = decide(index, head);
      if (deed === 'pass') handOn(socket, Buffer.from(head, 'latin1'));
      else if (deed === 'drop') socket.destroy();
      else if (typeof deed === 'function') deed(socket.resume());
    });
  };
  const handOn = (socket: Socket, first: Buffer) => {
    const { hostname, port } = new URL(target);
    const server = connect(Number(port), hostname);
    server.on('error', () => server.destroy()).write(first);
    socket.pipe(server).pipe(socket);
    socket.once('close', () => server.destroy());
    server.once('close', () => socket.destroySoon());
  };
  const server: Server = tls ? createTlsServer(tls, accept) : createTcpServer(accept);
  const { url, close } = await listen(server);
  return { url: tls ? url.replace('http:', 'https:') : url, count: () => count, close };
}
