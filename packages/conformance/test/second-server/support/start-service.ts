import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { listen } from '../http/listen.ts';

export interface Service {
  url: string;
  /** Targets of all calls and handshakes received. */
  targets: string[];
  /** The close code of the first socket that ended. */
  closed: Promise<number>;
  close(): Promise<void>;
}

/** Starts a hosted service for a test. It also accepts WebSockets, and echoes what it receives. */
export async function startService(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Service> {
  const targets: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  const server = createServer((request, response) => {
    targets.push(request.url ?? '');
    handle(request, response);
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  sockets.on('headers', (lines) => {
    lines.push('X-Request-Id: service', 'Content-Disposition: inline', 'X-Own: socket');
  });
  sockets.on('connection', (socket) => {
    socket.on('message', (data, binary) => {
      if (String(data) === 'bye') socket.close(4002, 'as asked');
      else socket.send(data, { binary });
    });
    socket.on('close', resolve);
  });
  server.on('upgrade', (request, socket, head) => {
    targets.push(request.url ?? '');
    if (request.url === '/refused') socket.end('HTTP/1.1 418 No\r\nX-Own: no\r\n\r\ntea');
    else sockets.handleUpgrade(request, socket, head, (open) => sockets.emit('connection', open));
  });
  return { ...(await listen(server)), targets, closed };
}
