import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';

/** Media types of the demo service. */
const TYPES = ['application/json', 'text/plain', 'text/event-stream'] as const;

const EVENTS = 3;

/**
 * Returns the first type in `Accept` that the service supports, ignoring quality values, or JSON if it
 * supports none. Many clients list every type that they can read.
 */
export function chooseType(accept = ''): (typeof TYPES)[number] {
  const named = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  const first = named.find((name) => TYPES.some((type) => type === name));
  return TYPES.find((type) => type === first) ?? 'application/json';
}

/** A hosted service that runs in this process. */
interface HelloService {
  /** URL without a path. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Starts the demo service `hello` on a free loopback port. It echoes each request as JSON, as text or as
 * three events, depending on `Accept`, and each WebSocket message.
 */
export async function startHelloService(): Promise<HelloService> {
  const server = createServer(respond);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request).catch(() => undefined);
  // The client has disconnected.
  if (body === undefined) return;
  const { method, url: path, headers } = request;
  const type = chooseType(headers.accept);
  const requestId = headers['x-request-id'];
  if (type === 'text/event-stream') {
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
    for (let id = 1; id <= EVENTS; id += 1) {
      response.write(`id: ${id}\ndata: ${JSON.stringify({ hello: id, path })}\n\n`);
    }
    response.end();
  } else if (type === 'text/plain') {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    response.end(`Hello from ${method} ${path}\n${body}`);
  } else {
    response.writeHead(200, { 'content-type': type });
    response.end(JSON.stringify({ hello: 'world', method, path, requestId, body }));
  }
}
