import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import { WebSocketServer } from 'ws';
import { listen } from '../../../../scripts/testing/listen.ts';

/** A handshake that a service has got. */
interface Handshake {
  readonly request: IncomingMessage;
  readonly connection: Duplex;
}

/**
 * A real service of WebSockets: it sends each message back, loses the connection at the text `!cut`, says
 * nothing at `/silent`, and changes to no WebSocket at `/h2c`.
 */
export async function startSocketService() {
  const handshakes: Handshake[] = [];
  const sockets: WebSocket[] = [];
  const server = createServer((_, response) => response.writeHead(426).end('open a WebSocket'));
  const accepting = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].at(-1) ?? false,
  });
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => {});
    handshakes.push({ request, connection });
    if (request.url === '/h2c') {
      connection.write('HTTP/1.1 101 To\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    } else if (request.url !== '/silent') {
      accepting.handleUpgrade(request, connection, head, accept);
    }
    server.emit('handshake');
  });
  function accept(socket: WebSocket): void {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => {
      if (String(data) === '!cut') socket.terminate();
      else socket.send(data, { binary: isBinary });
    });
  }
  const { url, close } = await listen(server);
  return {
    ...{ url, close },
    sockets,
    /** Resolves with the next handshake. */
    async next(): Promise<Handshake> {
      await once(server, 'handshake');
      return handshakes.at(-1) as Handshake;
    },
  };
}
